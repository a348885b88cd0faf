"""What entries make of a session's activity: what was done, pinned, learnt, handed on.

Reads the entry and this room's tables, nothing else: the replay law. Every row is owned by the
session of its entry, so `drop` and a second derivation of that session alone give equal rows.
"""

from __future__ import annotations

from holdfast.agents import acts
from holdfast.rooms.work import branches
from holdfast.rooms.work.places import projection as places
from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body
    from holdfast.store.sqlite import Store

# What a session did goes with its archive; what was noted in it for later stays.
OF_ACTIVITY = (
    "activity touched inherited_pins inherited_todos inheritances tasks commands tools topics"
    " found_work helpers checkpoints handoffs"
).split()
OF_ACTIVITY += (*branches.TABLES, *places.TABLES)
OF_WORDS = "turns pins learnings".split()
OWNED = (*OF_ACTIVITY, *OF_WORDS)
TABLES = (*OWNED, "merges")
SUBSTANTIAL = 150  # characters of a message that says where the work stands by itself

FILE_DEEDS = {"read": "read", "edit": "edited", "create": "created"}
SAYS_CAP = 600
COMMAND_CAP = 500
# How many commands a session keeps: those that succeeded last, and those whose last run failed.
COMMANDS = {1: 20, 0: 10}


def derive(store: Store, entry: Entry) -> None:
    if entry.kind in ("session_archived", "session_forgotten"):
        drop(store, entry.session, OF_ACTIVITY if entry.kind == "session_archived" else OWNED)
        return
    if entry.session:
        store.run(
            "insert or ignore into activity (session, prompts, turns, tools, last_prompt,"
            " last_prompt_at, last_message, summary, told, tokens, window, synced_tokens, model)"
            " values (?, 0, 0, 0, '', '', '', '', '{}', 0, 0, 0, '')",
            entry.session,
        )
    _DERIVED[entry.kind](store, entry)


def drop(store: Store, session: str, tables: Any = OWNED) -> None:
    """Forget what was derived from a session's entries."""
    for table in tables:
        store.run(f"delete from {table} where session = ?", session)


def _prompt_given(store: Store, entry: Entry) -> None:
    from holdfast.rooms.work import topics

    body = entry.body
    if body.get("unverified"):
        return
    store.run(
        "update activity set prompts = prompts + 1, last_prompt = ?, last_prompt_at = ?"
        " where session = ?",
        body["prompt"],
        entry.at,
        entry.session,
    )
    _measured(store, entry)
    _add_topics(store, entry.session, topics.of_prompt(body["prompt"]))


def _turn_ended(store: Store, entry: Entry) -> None:
    message = entry.body["message"]
    if _is_aside(store, entry.session, message):
        store.run("update activity set turns = turns + 1 where session = ?", entry.session)
    else:
        store.run(
            "update activity set turns = turns + 1, last_message = ?, message_before ="
            " case when length(last_message) >= ? then last_message else '' end where session = ?",
            message,
            SUBSTANTIAL,
            entry.session,
        )
    _measured(store, entry)


def _is_aside(store: Store, session: str, message: str) -> bool:
    """Whether a message does not say where the work stands: it is short, asks and announces
    nothing, and nothing was done since the prompt; the message before it stays the last."""
    if len(message) >= SUBSTANTIAL or message.rstrip().endswith("?"):
        return False
    did = store.value(
        "select last_message = '' or last_prompt_at = '' or exists (select 1 from touched"
        " where session = ?1 and how <> 'read' and last_at >= last_prompt_at) or exists"
        " (select 1 from commands where session = ?1 and at >= last_prompt_at)"
        " from activity where session = ?1",
        session,
    )
    if did:
        return False
    from holdfast.rooms.work import handoff

    return not handoff.announced(message)


def _measured(store: Store, entry: Entry) -> None:
    if entry.body.get("tokens"):
        store.run(
            "update activity set tokens = ?, window = ?, model = ? where session = ?",
            entry.body["tokens"],
            entry.body.get("window", 0),
            entry.body.get("model", ""),
            entry.session,
        )


def _context_compacted(store: Store, entry: Entry) -> None:
    # The window was just emptied: how full it is, the next row of the transcript tells, and it is
    # news again.
    store.run(
        "update activity set summary = ?, tokens = 0, synced_tokens = 0,"
        " told = json_remove(told, '$.phase', '$.exhausted') where session = ?",
        entry.body["summary"],
        entry.session,
    )


def _tool_used(store: Store, entry: Entry) -> None:
    from holdfast.rooms.work import topics

    body = entry.body
    tool = body["tool"]
    store.run("update activity set tools = tools + 1 where session = ?", entry.session)
    store.run(
        "insert into tools (session, tool, times) values (?, ?, 1)"
        " on conflict do update set times = times + 1",
        entry.session,
        tool[:100],
    )
    if body.get("command"):
        _command_run(store, entry)
    how = FILE_DEEDS.get(body["deed"])
    if how and body["ok"] and body.get("path"):
        _file_touched(store, entry, how)
    if body["deed"] == "plan" and body["ok"]:
        _plan_changed(store, entry)
    if acts.is_of_server(tool):
        _helper_used(store, entry)
    _add_topics(store, entry.session, topics.of_tool(tool, {**body["input"], **_path(body)}))


def _path(body: Body) -> dict[str, str]:
    """The path as it is kept, from the root of the worktree, in place of the one that was given."""
    path = body.get("path")
    return {name: path for name in acts.PATH_FIELDS if path and name in body["input"]}


def _command_run(store: Store, entry: Entry) -> None:
    body, ok = entry.body, int(entry.body["ok"])
    says = _says(body)
    store.run(
        "insert into commands (session, command, ok, at, says, failed_at, failed_says, times,"
        " seq) values (?, ?, ?, ?, ?, ?, ?, 1, ?) on conflict do update set"
        " ok = excluded.ok, at = excluded.at, says = excluded.says, times = times + 1,"
        " seq = excluded.seq,"
        " failed_at = case when excluded.ok then failed_at else excluded.at end,"
        " failed_says = case when excluded.ok then failed_says else excluded.says end",
        entry.session,
        " ".join(body["command"].split())[:COMMAND_CAP],
        ok,
        entry.at,
        says,
        "" if ok else entry.at,
        "" if ok else says,
        entry.seq,
    )
    store.run(
        "delete from commands where session = ? and ok = ? and seq <= (select seq from commands"
        " where session = ? and ok = ? order by seq desc limit 1 offset ?)",
        entry.session,
        ok,
        entry.session,
        ok,
        COMMANDS[ok],
    )


def _says(body: Body) -> str:
    """The end of what a command printed; of a check that failed first the lines that say what."""
    output = str(body.get("error") or body.get("output") or "")
    end = output[-SAYS_CAP:]
    if output == end:
        return end
    from holdfast.rooms.work import check_runs, run_output

    if not check_runs.may_check(body["command"][:COMMAND_CAP]):
        return end
    if body["ok"] and not run_output.says_failed(output):
        return end
    opening = output[: run_output.LINE_CAP].splitlines()[:1]
    telling = "\n".join([*opening, *run_output.telling_lines(output), ""])
    return telling + end[len(telling) :]


def _file_touched(store: Store, entry: Entry, how: str) -> None:
    # A file that the session made stays made by it; one that it changed was more than read.
    store.run(
        "insert into touched (session, path, how, times, last_at) values (?, ?, ?, 1, ?)"
        " on conflict do update set times = times + 1, last_at = excluded.last_at, how = case"
        " when how = 'created' or (how = 'edited' and excluded.how = 'read') then how"
        " else excluded.how end",
        entry.session,
        entry.body["path"],
        how,
        entry.at,
    )
    if how != "read":
        _look_for_work(store, entry)
        places.edited(store, entry, _home_of(store, entry))


def _look_for_work(store: Store, entry: Entry) -> None:
    """To-do marks and stubs that an edit brought in, or did away with."""
    from holdfast.rooms.work import found_work

    path = entry.body["path"]
    old, new = acts.written(entry.body["input"])
    if not isinstance(new, str) or not isinstance(old, str):
        return
    for sort, description in found_work.marks_in(new, old, path):
        store.run(
            "insert or ignore into found_work (session, sort, description, at) values (?, ?, ?, ?)",
            entry.session,
            sort,
            description,
            entry.at,
        )
    for sort, description in found_work.marks_in(old, new, path):
        store.run(
            "delete from found_work where session = ? and sort = ? and description = ?",
            entry.session,
            sort,
            description,
        )


def _plan_changed(store: Store, entry: Entry) -> None:
    """The agent's own list of what is to do, in either of its two forms."""
    todos, moved = acts.todos(entry.body["input"]), acts.task_moved(entry.body["input"])
    if todos is not None:
        store.run("delete from tasks where session = ? and source = 'todo'", entry.session)
        for place, (title, stage) in enumerate(todos[:100]):
            _put_task(store, entry, "todo", str(place + 1), title, stage, place)
    elif moved:
        task, stage = moved
        store.run(
            "update tasks set stage = ?, at = ? where session = ? and source = 'task' and task = ?",
            stage,
            entry.at,
            entry.session,
            task,
        )


def _task_created(store: Store, entry: Entry) -> None:
    from holdfast.rooms.work import topics

    body = entry.body
    number = body["task"]
    place = int(number) if number.isdecimal() and len(number) < 10 else 0
    _put_task(store, entry, "task", number, body["subject"], "pending", place)
    _add_topics(store, entry.session, topics.of_subject(body["subject"]))


def _task_completed(store: Store, entry: Entry) -> None:
    store.run(
        "update tasks set stage = 'completed' where session = ? and source = 'task' and task = ?",
        entry.session,
        entry.body["task"],
    )


def _put_task(
    store: Store, entry: Entry, source: str, task: str, title: str, stage: Any, place: int
) -> None:
    store.run(
        "insert into tasks (session, task, title, stage, source, at, place)"
        " values (?, ?, ?, ?, ?, ?, ?) on conflict do update set"
        " title = excluded.title, at = excluded.at",
        entry.session,
        task,
        title,
        stage if isinstance(stage, str) else "pending",
        source,
        entry.at,
        place,
    )


def _helper_used(store: Store, entry: Entry) -> None:
    from holdfast.rooms.work import other_tools

    for name, value in other_tools.states_in(entry.body):
        store.run(
            "insert or replace into helpers (session, helper, value, at) values (?, ?, ?, ?)",
            entry.session,
            name,
            value,
            entry.at,
        )


def _add_topics(store: Store, session: str, weights: dict[str, int]) -> None:
    if not weights:
        return
    from holdfast.rooms.work import topics

    store.run(
        "insert into topics (session, topic, weight)"
        " select ?, key, value from json_each(?) where true"
        " on conflict do update set weight = weight + excluded.weight",
        session,
        jsontext.dumps(weights),
    )
    many = store.value("select count(*) from topics where session = ?", session)
    if many > topics.BOUND:
        store.run(
            "delete from topics where session = ? and topic not in (select topic from topics"
            " where session = ? order by weight desc, topic limit ?)",
            session,
            session,
            topics.BOUND // 2,
        )


def _turned(store: Store, entry: Entry) -> None:
    body = entry.body
    store.run(
        "insert into turns (id, subject, project, session, at, turn, how, words)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        entry.id,
        body["subject"],
        _home_of(store, entry),
        entry.session,
        entry.at,
        body["turn"],
        body["how"],
        body["words"],
    )


def _pinned(store: Store, entry: Entry) -> None:
    from holdfast.rooms.work import topics

    body = entry.body
    store.run(
        "insert into pins (id, project, session, at, label, content, critical, author)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        entry.id,
        _home_of(store, entry),
        entry.session,
        entry.at,
        body["label"],
        body["content"],
        body["critical"],
        body.get("author", ""),
    )
    if entry.session:
        _add_topics(store, entry.session, topics.of_label(body["label"]))


def _learnt(store: Store, entry: Entry) -> None:
    from holdfast.rooms.work import topics

    body = entry.body
    categories = [name for name in body["categories"] if isinstance(name, str)]
    store.run(
        "insert into learnings (id, project, session, at, text, source, categories)"
        " values (?, ?, ?, ?, ?, ?, ?)",
        entry.id,
        _home_of(store, entry),
        entry.session,
        entry.at,
        body["text"],
        body["source"],
        jsontext.dumps(categories),
    )
    if entry.session:
        _add_topics(store, entry.session, topics.of_categories(categories))


def _state_inherited(store: Store, entry: Entry) -> None:
    body = entry.body
    for origin in body["sessions"]:
        if isinstance(origin, dict):
            store.run(
                "insert or replace into inheritances (session, source, at, permille, how)"
                " values (?, ?, ?, ?, ?)",
                entry.session,
                str(origin.get("session", "")),
                entry.at,
                int(origin.get("permille", 0)),
                body["how"],
            )
    for pin in body["pins"]:
        if isinstance(pin, dict):
            store.run(
                "insert or ignore into inherited_pins (session, pin, source) values (?, ?, ?)",
                entry.session,
                str(pin.get("pin", "")),
                str(pin.get("source", "")),
            )

    if body.get("todos"):
        store.run(
            "insert or replace into inherited_todos (session, source) values (?, ?)",
            entry.session,
            body["todos"],
        )


def _checkpoint_taken(store: Store, entry: Entry) -> None:
    body = entry.body
    store.run(
        "insert into checkpoints (id, project, session, at, cause, version, tokens, phase, machine,"
        " seq, rank, tier1) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        entry.id,
        _home_of(store, entry),
        entry.session,
        entry.at,
        body["cause"],
        body["schema"],
        body["tokens"],
        body["phase"],
        entry.machine,
        entry.seq,
        entry.rank,
        jsontext.dumps(body["tier1"]),
    )
    store.run(
        "update activity set synced_tokens = ? where session = ?", body["tokens"], entry.session
    )


def _handoff_given(store: Store, entry: Entry) -> None:
    store.run(
        "insert into handoffs (id, project, session, at, rank, said) values (?, ?, ?, ?, ?, ?)",
        entry.id,
        _home_of(store, entry),
        entry.session,
        entry.at,
        entry.rank,
        jsontext.dumps(entry.body),
    )


def _context_given(store: Store, entry: Entry) -> None:
    if entry.body.get("told"):
        store.run(
            "update activity set told = ? where session = ?",
            jsontext.dumps(entry.body["told"]),
            entry.session,
        )


def _tidied(store: Store, entry: Entry) -> None:
    body, session = entry.body, entry.session
    for word, into in _pairs(body["topics"]):
        weight = store.value(
            "select weight from topics where session = ? and topic = ?", session, word
        )
        if weight is not None and word != into:
            store.run("delete from topics where session = ? and topic = ?", session, word)
            _add_topics(store, session, {into: weight})
    if body["permille"] < 1000:
        store.run(
            "update topics set weight = max(1, weight * ? / 1000) where session = ?",
            body["permille"],
            session,
        )
    for sort, description in _pairs(body["work"]):
        store.run(
            "delete from found_work where session = ? and sort = ? and description = ?",
            session,
            sort,
            description,
        )


def _pairs(given: list[Any]) -> list[tuple[str, str]]:
    """Pairs of words; what is none, as in a file of somebody else's, is left out."""
    lists = [pair for pair in given if isinstance(pair, list) and len(pair) == 2]
    return [(pair[0], pair[1]) for pair in lists if all(isinstance(word, str) for word in pair)]


def _projects_merged(store: Store, entry: Entry) -> None:
    into = entry.body["into"]
    store.run("insert or replace into merges (project, home) values (?, ?)", entry.project, into)
    store.run("update merges set home = ? where home = ?", into, entry.project)
    for table in (*OF_WORDS, *branches.TABLES, *places.TABLES, "checkpoints", "handoffs"):
        store.run(f"update {table} set project = ? where project = ?", into, entry.project)


def _project_forgotten(store: Store, entry: Entry) -> None:
    """What a person said of it outside of any session; its sessions are forgotten one by one."""
    for table in (*OF_WORDS, "checkpoints", "handoffs"):
        store.run(f"delete from {table} where project = ? and session = ''", entry.project)
    store.run("delete from merges where project = ? or home = ?", entry.project, entry.project)


def _of_branches(store: Store, entry: Entry) -> None:
    from holdfast.rooms.work.branches import projection  # few events are about branches

    projection.DERIVED[entry.kind](store, entry, _home_of(store, entry))


def _home_of(store: Store, entry: Entry) -> str:
    """The entry's project, or what it was merged into."""
    home = "select coalesce((select home from merges where project = ?1), ?1)"
    return str(store.value(home, entry.project))


_DERIVED = {
    "prompt_given": _prompt_given,
    "turn_ended": _turn_ended,
    "tool_used": _tool_used,
    "context_closing": _measured,
    "context_compacted": _context_compacted,
    "task_created": _task_created,
    "task_completed": _task_completed,
    "turned": _turned,
    "pinned": _pinned,
    "learnt": _learnt,
    "state_inherited": _state_inherited,
    "checkpoint_taken": _checkpoint_taken,
    "handoff_given": _handoff_given,
    "context_given": _context_given,
    "tidied": _tidied,
    "projects_merged": _projects_merged,
    "project_forgotten": _project_forgotten,
    **dict.fromkeys(branches.KINDS, _of_branches),
}
