"""Words as decisions and recall compare them: one stem for a word's forms, one word for what means
the same."""

from __future__ import annotations

from functools import cache

from holdfast.system.word_endings import undouble, without_ending

# Words that say nothing about what is spoken of.
EMPTY = frozenset(
    "a about above across actual actually again against all along already also always am an"
    " and another any anyone anyway app application are around as at away be because been"
    " behind being below beneath beside between beyond bit both but by can cannot code"
    " codebase could count default did directly do does done down during each earlier eight"
    " either else enough ever every everyone everything everywhere fine first five for four"
    " from full fully go going gone had half has have having he her here him his honestly how"
    " i if in inside instead into is it its itself just kind later least let lets like longer"
    " make makes many may me might more most much multiple must my near need needed needs"
    " neither never new newer nine no none nor not nothing now number of off ok okay older on"
    " once one only onto onwards or other our out outside over own per plain please project"
    " quite rather real really repo repository same second seven several shall she should"
    " simple simply single six size so some sort still straight such system team ten than that"
    " the their them then there these they thing things third this those three through"
    " throughout thus time to today together too toward two under until up upon us very via"
    " was way we well were what whatever when where whether which while who whole whose why"
    " will with within without would yet you your".split()
)
# Verbs of choosing and doing: they carry no subject.
LIGHT = frozenset(
    "accept accepted accepts add added adding adds adopt adopting agree agreed allow allowed"
    " allows applied applies apply back become becomes becoming begin bring brings bump"
    " bumping change changed changes changing choose choosing come comes convert converting"
    " create created creating cut cuts cutting decide decided decrease decreasing do does done"
    " enable enabled enables end ends expect extend extending follow followed following"
    " follows get gets getting give given gives giving go goes going handle handled handles"
    " handling happen happens have having implement implemented implementing increase"
    " increasing introduce introducing keep keeping keeps kept last lasting lasts let lets"
    " live lives living lower lowering made make making manage managed manages managing"
    " migrate migrating move moved moves moving offer offering offers permit permits permitted"
    " pick picking power powered powers prefer preferred prefers provide provides put puts"
    " putting raise raises raising reduce reducing relies rely remain remains require required"
    " requires reserve reserved reserves set sets setting shorten split splits splitting start"
    " starting starts stay stays stick sticking support supported supports switch switches"
    " switching take taken takes taking took turn turning turns use used uses using want wants"
    " work works".split()
)
IRREGULAR = {
    "analysis": "analysis", "built": "build", "bus": "bus", "chosen": "choose", "class": "class",
    "data": "data", "gave": "give", "held": "hold", "indices": "index", "kept": "keep",
    "left": "leave", "lost": "lose", "made": "make", "ran": "run", "sent": "send",
    "shown": "show", "status": "status", "taken": "take", "went": "go", "written": "write",
    "wrote": "write",
}  # fmt: skip
SAME = {
    "alter": "touch", "args": "argument", "auth": "authentication",
    "authenticate": "authentication", "authenticated": "authentication", "cap": "limit",
    "ceiling": "limit", "config": "configuration", "customers": "customer", "db": "database",
    "dependencies": "dependency", "deps": "dependency", "dev": "development", "dir": "folder",
    "directories": "folder", "directory": "folder", "dirs": "folder", "doc": "documentation",
    "docs": "documentation", "editing": "edit", "email": "mail", "emails": "mail",
    "env": "environment", "erase": "delete", "expiration": "expire", "expiry": "expire",
    "identifier": "id", "identifiers": "id", "ids": "id", "inbound": "incoming",
    "k8s": "kubernetes", "licence": "license", "licences": "license", "limited": "limit",
    "logins": "login", "mails": "mail", "max": "limit", "maximum": "limit", "merging": "merge",
    "min": "minimum", "modify": "touch", "modifying": "touch", "outbound": "outgoing",
    "params": "parameter", "picture": "image", "pictures": "image", "pr": "pull",
    "prod": "production", "prs": "pull", "purge": "delete", "refactor": "touch",
    "refactoring": "touch", "relicense": "license", "repositories": "repository",
    "requests": "request", "retries": "retry", "rework": "touch", "rewrite": "touch",
    "rewriting": "touch", "route": "endpoint", "routes": "endpoint", "sessions": "session",
    "setting": "configuration", "settings": "configuration", "signature": "sign",
    "signatures": "sign", "spec": "specification", "storage": "store", "timeouts": "timeout",
    "vars": "variable",
}  # fmt: skip
ENDINGS = tuple(
    (ending, "", 5 if ending in ("er", "ers", "ate", "ates", "al") else 3)
    for ending in (
        "ations", "ation", "ating", "ated", "ates", "ate", "ments", "ment", "ions", "ion", "ings",
        "ing", "ers", "ies", "ied", "ed", "er", "es", "s", "ly", "al", "e", "y",
    )
)  # fmt: skip


@cache
def stem(word: str) -> str:
    word = SAME.get(word, word)
    word = IRREGULAR.get(word, word)
    for _ in range(2):  # so that "delivered" and "deliver" lose as much
        word = word if word.endswith("ss") else without_ending(word, ENDINGS)
    word = undouble(word)
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word
