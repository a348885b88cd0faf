"""What is heard, kept and told: the user's words, the state of the work, its restoration.

Facts of git, files and the clock are taken here; whatever of them matters later lies in an entry.
Everything but `look`, `measure` and `settle` runs inside the event's transaction.
"""

from __future__ import annotations

from holdfast import platform, processes
from holdfast.continuity import budget, shelf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.event import Event
    from holdfast.lifecycle import Work
    from holdfast.store.sqlite import Store
    from holdfast.tidying import Scene, Think

TAIL_BYTES = 1 << 17
KEYWORDS = 40
GIT_LIMIT_S = 0.3
CHANGED_FILES = 30
FIX_FILES = 3


# Facts, taken before anything is opened


def look(event: Event) -> None:
    """What the place itself says the work is about: branch, commits, changed files."""
    from holdfast.continuity import checkpoint, topic
    from holdfast.continuity.picture import commits

    said = event.body
    if said["source"] not in checkpoint.RESTORING or not said["gitdir"]:
        return
    branch = said["branch"].replace("/", " ")
    # As it is written, and its words: nobody says "fix-retry-loop" in a sentence.
    words = topic.words(branch) + topic.words(branch.replace("-", " ").replace("_", " "))
    for subject in commits(said["gitdir"]):
        words += topic.words(subject)
    changed = processes.said_by_git(
        said["worktree"], "diff", "--name-only", "HEAD", limit_s=GIT_LIMIT_S
    )
    said["files"] = changed.splitlines()[:CHANGED_FILES]
    touched = [word for path in said["files"] for word in topic.words(path)]
    said["keywords"] = list(dict.fromkeys(words + touched))[:KEYWORDS]
    said["changed"] = list(dict.fromkeys(touched))[:KEYWORDS]


def measure(event: Event) -> None:
    """How full the agent's context is, as its transcript or its status line says."""
    from holdfast import sheet

    told = sheet.figures(event.session)
    tail = platform.read_bytes(event.transcript, TAIL_BYTES, tail=True) if event.transcript else b""
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
    from holdfast.continuity import hearing

    prompt = work.kept.body["prompt"]  # as it is kept: without its secrets
    heard = hearing.hear(prompt)
    changed = _heed_goal(work, heard, prompt)
    for words in heard.withdrawals:
        _take_back(work, words)
    thread = shelf.thread_of(work.store, work.event.session)
    given = [(rule.text, rule.sort, rule.lasting) for rule in heard.rules]
    given += [(text, "dead_end", False) for text in heard.dead_ends]
    known = {rule["text"] for rule in shelf.rules(work.store, work.project, thread)}
    for number, (text, sort, lasting) in enumerate(given):
        if text not in known:
            body = {"text": text, "sort": sort, "lasting": lasting, "how": "prompt"}
            work.keep(
                "rule_given", {**body, "thread": thread}, key=work.consequence("rule", number)
            )
    from holdfast.continuity import news

    news.tell(work, changed)


def _heed_goal(work: Work, heard: Any, prompt: str) -> dict[str, Any] | None:
    """Set the goal when the prompt does so; the one before when it was changed."""
    from holdfast.continuity import goal, hearing, topic

    store, session = work.store, work.event.session
    current = shelf.goal_of(store, session)
    is_first = current is None or current["session"] != session
    judged = goal.judge(
        heard,
        current,
        is_first=is_first,
        is_related=current is not None and hearing.is_same_task(current["keywords"], prompt),
        words=hearing.keywords(heard.goal) if heard.goal else (),
        topics=() if is_first else _topics_before(work, topic),
    )
    if judged == goal.KEPT:
        return None
    body = {
        "goal": heard.goal,
        "keywords": hearing.keywords(heard.goal),
        "thread": "" if judged == goal.CHANGED else shelf.thread_of(store, session),
        "how": "prompt",
    }
    work.keep("goal_set", body, key=work.consequence("goal"))
    return current


def _topics_before(work: Work, topic: Any) -> list[str]:
    """What the session works on, less what this very prompt has added to it."""
    weights = shelf.weights(work.store, work.event.session, 100)
    for word, weight in topic.of_prompt(work.event.body["prompt"]).items():
        weights[word] = weights.get(word, 0) - weight
    return [word for word, weight in weights.items() if weight > 0]


def _take_back(work: Work, words: str) -> None:
    from holdfast.continuity import hearing

    thread = shelf.thread_of(work.store, work.event.session)
    in_force = [
        (rule["id"], rule["text"]) for rule in shelf.rules(work.store, work.project, thread)
    ]
    for id_ in hearing.taken_back(words, in_force):
        body = {"subject": id_, "turn": "withdrawn", "how": "prompt", "words": words}
        work.keep("turned", body, key=work.consequence(f"turned:{id_}"))


# What was learnt


def learn(work: Work) -> None:
    """Commands that failed and pass now, after files were changed: fixes that were seen to work."""
    if work.kept is None:
        return
    store, session = work.store, work.event.session
    for one in shelf.mended(store, session):
        files = shelf.changed_between(store, session, one["failed_at"], one["at"], FIX_FILES)
        if not files:
            continue
        from holdfast.continuity.queue import judge_error

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
    from holdfast.continuity import restoration

    restoration.restore(work)


# Compaction, the end of a turn, the end


def close(work: Work) -> None:
    """Before a compaction: a checkpoint, and what the summariser must carry over."""
    if work.kept is None or "subagent" in work.event.body:
        return
    from holdfast.continuity import closing

    _follow(work)
    closing.close(work)


def sync(work: Work) -> None:
    """After enough was said since the last one: a checkpoint, so that everything is current."""
    if work.kept is None:
        return
    done = shelf.activity(work.store, work.event.session)
    if done is None:
        return
    if work.event.kind == "turn_ended":
        _follow(work)
    limit = work.settings["continuity.sync_tokens"]
    if limit and done["tokens"] - done["synced_tokens"] >= limit:
        from holdfast.continuity import closing

        closing.checkpoint(work, "stop" if work.event.kind == "turn_ended" else "delta")


def _follow(work: Work) -> None:
    """A fork whose parent its transcript has told by now: its goal and rules are the parent's,
    unless it was given another task meanwhile. Rules that it was given itself go along."""
    store, session = work.store, work.event.session
    if shelf.thread_of(store, session) != session:
        return
    before, known = work.previous(), work.session()
    if not before or known is None or known["source"] != "fork":
        return
    from holdfast.continuity import hearing

    own, goal = shelf.goal_of(store, session), shelf.goal_of(store, before)
    if own and goal and not hearing.is_same_task(goal["keywords"], own["goal"]):
        return
    thread, followed = shelf.thread_of(store, before), goal or own
    rules = [one for one in shelf.rules(store, work.project, session) if not one["lasting"]]
    body = {
        "how": "forked",
        "sessions": [{"session": before, "permille": 1000}],
        "goal": followed["id"] if followed else "",
        "thread": thread,
        "pins": [],
        "tasks": 0,
        "decayed": 0,
    }
    work.keep("state_inherited", body, key="inherited:fork")
    for number, rule in enumerate(one for one in rules if one["thread"] == session):
        said = {name: rule[name] for name in ("text", "sort", "how")}
        body = {**said, "lasting": False, "thread": thread}
        work.keep("rule_given", body, key=work.consequence("rule", number))


def capture(work: Work) -> None:
    """At the end: what the session leaves, in figures; with `/clear` a checkpoint as well."""
    store, session = work.store, work.event.session
    todo = [one for one in shelf.tasks(store, session) if one["stage"] != "completed"]
    work.event.body["captured"] = {
        "pins": len(shelf.pins(store, work.project, session)),
        "learnings": shelf.count_learnings(store, session),
        "tasks": len(todo),
        "files": shelf.count_changed(store, session),
    }
    if work.event.body["reason"] == "clear":
        from holdfast.continuity import closing

        closing.checkpoint(work, "clear")


def settle(work: Work) -> None:
    """After the commit: the handoff as files for whoever comes next, and what the project asks
    for at the end of a turn."""
    if work.kept is None:
        return
    from holdfast.continuity import closing

    closing.render(work)
    closing.commit(work)


# What a dream asks for


def memories(store: Store, session: str, at: str) -> list[dict[str, Any]]:
    """What a session used."""
    from holdfast.continuity import tidying

    return tidying.memories(store, session, at)


def tidy(store: Store, scene: Scene) -> Think:
    """What was told twice, and is told once from now on."""
    from holdfast.continuity import tidying

    return tidying.tidy(store, scene)
