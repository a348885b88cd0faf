"""What is heard, kept and told: the user's words, the state of the work, its restoration.

Facts of git, files and the clock are taken here; whatever of them matters later lies in an entry.
Everything but `look`, `measure` and `settle` runs inside the event's transaction.
"""

from __future__ import annotations

from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.work import budget
from holdfast.rooms.work import queries as work_queries
from holdfast.system import files, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.hook.context import Work
    from holdfast.hook.event import Event
    from holdfast.rooms.consolidation.changes import Scene, Think
    from holdfast.store.sqlite import Store

TAIL_BYTES = 1 << 17
KEYWORDS = 40
GIT_LIMIT_S = 0.3
CHANGED_FILES = 30
FIX_FILES = 3
REPEATED_OF = 200  # rules of other sessions that a prompt may say again, the latest


# Facts, taken before anything is opened


def look(event: Event) -> None:
    """What the place itself says the work is about: branch, commits, changed files."""
    from holdfast.rooms.work import checkpoint, topics
    from holdfast.rooms.work.summary import commits

    said = event.body
    if said["source"] not in checkpoint.RESTORING or not said["gitdir"]:
        return
    branch = said["branch"].replace("/", " ")
    # As it is written, and its words: nobody says "fix-retry-loop" in a sentence.
    words = topics.words(branch) + topics.words(branch.replace("-", " ").replace("_", " "))
    for subject in commits(said["gitdir"]):
        words += topics.words(subject)
    changed = processes.said_by_git(
        said["worktree"], "diff", "--name-only", "HEAD", limit_s=GIT_LIMIT_S
    )
    said["files"] = changed.splitlines()[:CHANGED_FILES]
    touched = [word for path in said["files"] for word in topics.words(path)]
    said["keywords"] = list(dict.fromkeys(words + touched))[:KEYWORDS]
    said["changed"] = list(dict.fromkeys(touched))[:KEYWORDS]


def measure(event: Event) -> None:
    """How full the agent's context is, as its transcript or its status line says."""
    from holdfast.hook import brief_file

    told = brief_file.figures(event.session)
    tail = files.read_bytes(event.transcript, TAIL_BYTES, tail=True) if event.transcript else b""
    usage = budget.last_usage(tail or b"")
    tokens, model = usage or ((told[0], "") if told else (0, ""))
    if not tokens:
        return
    event.body["tokens"] = tokens
    event.body["window"] = budget.window(model, told[1] if told else 0, tokens)
    event.body["model"] = model


# What the user says


def heed(work: Work) -> None:
    """Goal, rules, withdrawals and dead ends in a prompt; and what has changed since last told."""
    if work.kept is None:
        return
    from holdfast.rooms.prompts import understanding

    prompt = work.kept.body["prompt"]  # as it is kept: without its secrets
    heard = understanding.hear(prompt)
    changed = _heed_goal(work, heard, prompt)
    for words in heard.withdrawals:
        _take_back(work, words)
    for words in heard.affirmations:
        _strengthen(work, words)
    _heed_rules(work, heard, prompt)
    from holdfast.rooms.work import updates

    updates.tell(work, changed)


def _heed_rules(work: Work, heard: Any, prompt: str) -> None:
    """Keep what was heard; what another session had heard before is repeated instead."""
    if not heard.rules and not heard.dead_ends:
        return
    from holdfast.rooms.prompts.similarity import is_same_rule
    from holdfast.system.paths import digest

    store, session = work.store, work.event.session
    heard_in = digest(prompt.encode("utf-8", "surrogatepass"))
    known = {rule["text"] for rule in prompt_queries.rules(store, work.project, session)}
    before = prompt_queries.heard_elsewhere(store, work.project, session, REPEATED_OF)
    thread = prompt_queries.thread_of(store, session)
    given = [(rule.text, rule.sort, rule.lasting, rule.is_order) for rule in heard.rules]
    given += [(text, "dead_end", False, False) for text in heard.dead_ends]
    for number, (text, sort, lasting, is_order) in enumerate(given):
        same = [rule for rule in before if sort != "dead_end" and is_same_rule(rule["text"], text)]
        if same and same[0]["heard_in"] != heard_in:
            _repeat(work, same[0]["id"], text)
        elif text not in known:
            body = {"text": text, "sort": sort, "lasting": lasting, "thread": thread}
            body |= {"how": "prompt", "order": is_order, "heard_in": heard_in}
            work.keep("rule_given", body, key=work.consequence("rule", number))


def _repeat(work: Work, rule: str, words: str) -> None:
    body = {"subject": rule, "turn": "repeated", "how": "prompt", "words": words}
    work.keep("turned", body, key=work.consequence(f"repeated:{rule}"))


def _strengthen(work: Work, words: str) -> None:
    """What the user holds up in another session than it was said in was said again."""
    from holdfast.rooms.prompts.lifting import affirmed

    before = prompt_queries.heard_elsewhere(
        work.store, work.project, work.event.session, REPEATED_OF
    )
    for id_ in affirmed(words, [(rule["id"], rule["text"]) for rule in reversed(before)]):
        _repeat(work, id_, words)


def _heed_goal(work: Work, heard: Any, prompt: str) -> dict[str, Any] | None:
    """Set the goal when the prompt does so; the one before when it was changed."""
    from holdfast.rooms.prompts import goal, understanding
    from holdfast.rooms.work import topics

    store, session = work.store, work.event.session
    current = prompt_queries.goal_of(store, session)
    is_first = current is None or current["session"] != session
    judged = goal.judge(
        heard,
        current,
        is_first=is_first,
        is_related=current is not None and understanding.is_same_task(current["keywords"], prompt),
        words=understanding.keywords(heard.goal) if heard.goal else (),
        topics=() if is_first else _topics_before(work, topics),
    )
    if judged == goal.KEPT:
        return None
    body = {
        "goal": heard.goal,
        "keywords": understanding.keywords(heard.goal),
        "thread": "" if judged == goal.CHANGED else prompt_queries.thread_of(store, session),
        "how": "prompt",
    }
    work.keep("goal_set", body, key=work.consequence("goal"))
    return current


def _topics_before(work: Work, topic: Any) -> list[str]:
    """What the session works on, less what this very prompt has added to it."""
    weights = work_queries.weights(work.store, work.event.session, 100)
    for word, weight in topic.of_prompt(work.event.body["prompt"]).items():
        weights[word] = weights.get(word, 0) - weight
    return [word for word, weight in weights.items() if weight > 0]


def _take_back(work: Work, words: str) -> None:
    """Withdraw the rule that the words lift, and let the person see it."""
    from holdfast.hook.briefing import inline
    from holdfast.rooms.prompts.lifting import lifted

    in_force = prompt_queries.rules(work.store, work.project, work.event.session)
    texts = {rule["id"]: rule["text"] for rule in in_force}
    for id_ in lifted(words, [(rule["id"], rule["text"], rule["sort"]) for rule in in_force]):
        body = {"subject": id_, "turn": "withdrawn", "how": "prompt", "words": words}
        work.keep("turned", body, key=work.consequence(f"turned:{id_}"))
        work.for_person.append(
            f"Rule lifted: {inline(texts[id_])} (undo: holdfast constraints keep {id_[:6]})"
        )


# What was learnt


def learn(work: Work) -> None:
    """Commands that failed and pass now, after files were changed: fixes that were seen to work."""
    if work.kept is None:
        return
    store, session = work.store, work.event.session
    for one in work_queries.mended(store, session):
        files = work_queries.changed_between(store, session, one["failed_at"], one["at"], FIX_FILES)
        if not files:
            continue
        from holdfast.rooms.work.found_work import judge_error

        sort, _ = judge_error(one["command"], one["failed_says"])
        last = (one["failed_says"].strip().splitlines() or [""])[-1].strip()[:160]
        said = f"`{one['command'][:200]}` failed ({last}); it passed after {', '.join(files)}"
        key = f"fix:{one['failed_at']}:{one['at']}"
        work.keep("learnt", {"text": said, "source": "fix", "categories": [sort]}, key=key)


# Beginnings


def greet(work: Work) -> None:
    """Restore what earlier sessions left, and say what matters of it."""
    if work.kept is None:
        return
    from holdfast.rooms.work import restoration

    restoration.restore(work)


# Compaction, the end of a turn, the end


def close(work: Work) -> None:
    """Before a compaction: a checkpoint, and what the summariser must carry over."""
    if work.kept is None or "subagent" in work.event.body:
        return
    from holdfast.rooms.work import compaction

    _follow(work)
    compaction.close(work)


def sync(work: Work) -> None:
    """After enough was said since the last one: a checkpoint, so that everything is current."""
    if work.kept is None:
        return
    done = work_queries.activity(work.store, work.event.session)
    if done is None:
        return
    if work.event.kind == "turn_ended":
        _follow(work)
    limit = work.settings["continuity.sync_tokens"]
    if limit and done["tokens"] - done["synced_tokens"] >= limit:
        from holdfast.rooms.work import compaction

        compaction.checkpoint(work, "stop" if work.event.kind == "turn_ended" else "delta")


def _follow(work: Work) -> None:
    """A fork whose parent its transcript has told by now: its goal is the parent's, unless it was
    given another task meanwhile."""
    store, session = work.store, work.event.session
    if prompt_queries.thread_of(store, session) != session:
        return
    before, known = work.previous(), work.session()
    if not before or known is None or known["source"] != "fork":
        return
    from holdfast.rooms.prompts import understanding

    own, goal = prompt_queries.goal_of(store, session), prompt_queries.goal_of(store, before)
    if own and goal and not understanding.is_same_task(goal["keywords"], own["goal"]):
        return
    followed = goal or own
    body = {
        "how": "forked",
        "sessions": [{"session": before, "permille": 1000}],
        "goal": followed["id"] if followed else "",
        "thread": prompt_queries.thread_of(store, before),
        "pins": [],
        "tasks": 0,
        "decayed": 0,
    }
    work.keep("state_inherited", body, key="inherited:fork")


def capture(work: Work) -> None:
    """At the end: what the session leaves, in figures; with `/clear` a checkpoint as well."""
    store, session = work.store, work.event.session
    todo = [one for one in work_queries.tasks(store, session) if one["stage"] != "completed"]
    work.event.body["captured"] = {
        "pins": len(work_queries.pins(store, work.project, session)),
        "learnings": work_queries.count_learnings(store, session),
        "tasks": len(todo),
        "files": work_queries.count_changed(store, session),
    }
    if work.event.body["reason"] == "clear":
        from holdfast.rooms.work import compaction

        compaction.checkpoint(work, "clear")


def settle(work: Work) -> None:
    """After the commit: the handoff as files for whoever comes next, and what the project asks
    for at the end of a turn."""
    if work.kept is None:
        return
    from holdfast.rooms.work import compaction

    compaction.render(work)
    compaction.commit(work)


# What a dream asks for


def memories(store: Store, session: str, at: str) -> list[dict[str, Any]]:
    """What a session used."""
    from holdfast.rooms.work import merging

    return merging.memories(store, session, at)


def tidy(store: Store, scene: Scene) -> Think:
    """What was told twice, and is told once from now on."""
    from holdfast.rooms.work import merging

    return merging.tidy(store, scene)
