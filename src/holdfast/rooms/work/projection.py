"""What entries make of a session's activity: what was done, pinned, learnt, handed on.

Reads the entry and this room's tables, nothing else: the replay law. Every row is owned by the
session of its entry, so `drop` and a second derivation of that session alone give equal rows.
"""

from __future__ import annotations

from holdfast.agents import acts
from holdfast.ledger import projections
from holdfast.rooms.work import branches
from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body
    from holdfast.store.sqlite import Store

# What a session did goes with its archive; what was noted in it for later stays.
OF_ACTIVITY = (
    "activity touched inherited_pins inherited_todos inheritances tasks commands tools topics"
    " found_work helpers checkpoints handoffs"
).split()
OF_ACTIVITY += (*branches.TABLES, "definitions")
OF_WORDS = "turns pins learnings".split()
OF_PROJECT = (*OF_WORDS, "checkpoints", "handoffs")
OWNED = (*OF_ACTIVITY, *OF_WORDS)
HOMES = "merges"
TABLES = (*OWNED, HOMES)
SUBSTANTIAL = 150  # characters of a message that says where the work stands by itself

FILE_DEEDS = {"read": "read", "edit": "edited", "create": "created"}
SAYS_CAP = 600
COMMAND_CAP = 500
# How many commands a session keeps: those that succeeded last, and those whose last run failed.
COMMANDS = {1: 20, 0: 10}
DEFINITIONS = 400  # of names, that one session keeps: the latest
OUTSIDE = ("/", "../")


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


def drop(store: Store, session: str, tables: Iterable[str] = OWNED) -> None:
    projections.drop(store, session, tables)


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
        store.run("update activity set turns = turns + 1 where session = ?", entry.session)
        _turn_cut(store, entry)
    _measured(store, entry)


def _turn_cut(store: Store, entry: Entry) -> None:
    store.run(
        "update activity set last_message = ?, message_before = case when length(last_message) >= ?"
        " then last_message else '' end where session = ?",
        entry.body["message"],
        SUBSTANTIAL,
        entry.session,
    )


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
    again = "on conflict do update set times = times + 1"
    store.insert("tools", then=again, session=entry.session, tool=tool[:100], times=1)
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
    store.insert(
        "commands",
        then="on conflict do update set"
        " ok = excluded.ok, at = excluded.at, says = excluded.says, times = times + 1,"
        " seq = excluded.seq,"
        " failed_at = case when excluded.ok then failed_at else excluded.at end,"
        " failed_says = case when excluded.ok then failed_says else excluded.says end",
        **entry.header("session at seq"),
        command=" ".join(body["command"].split())[:COMMAND_CAP],
        ok=ok,
        says=says,
        failed_at="" if ok else entry.at,
        failed_says="" if ok else says,
        times=1,
    )
    store.run(
        "delete from commands where session = ?1 and ok = ?2 and seq <= (select seq from commands"
        " where session = ?1 and ok = ?2 order by seq desc limit 1 offset ?3)",
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
    store.insert(
        "touched",
        then="on conflict do update set times = times + 1, last_at = excluded.last_at, how = case"
        " when how = 'created' or (how = 'edited' and excluded.how = 'read') then how"
        " else excluded.how end",
        session=entry.session,
        path=entry.body["path"],
        how=how,
        times=1,
        last_at=entry.at,
    )
    if how != "read":
        _edited(store, entry, entry.body["path"])


def _edited(store: Store, entry: Entry, path: str) -> None:
    """To-do marks and names that an edit brought in, or did away with."""
    from holdfast.rooms.work import found_work
    from holdfast.rooms.work.places import definitions

    old, new = acts.written(entry.body["input"])
    if not isinstance(new, str) or not isinstance(old, str):
        return
    for sort, description in found_work.marks_in(new, old, path):
        row = {**entry.header("session at"), "sort": sort, "description": description}
        store.insert("found_work", then="on conflict do nothing", **row)
    for mark in found_work.marks_in(old, new, path):
        _forget_work(store, entry, *mark)
    if path.startswith(OUTSIDE):
        return
    names = definitions.names_in(new, path)
    gone = [name for name in definitions.names_in(old, path) if name not in names]
    if names or gone:
        _define(store, entry, path, {**dict.fromkeys(gone, 0), **dict.fromkeys(names, 1)})


def _forget_work(store: Store, entry: Entry, sort: str, description: str) -> None:
    store.run(
        "delete from found_work where session = ? and sort = ? and description = ?",
        entry.session,
        sort,
        description,
    )


def _define(store: Store, entry: Entry, path: str, names: dict[str, int]) -> None:
    """Which names an edit of a file in the project defines; one it took away is not there."""
    row = {**entry.header("session at seq"), "path": path, "project": _home_of(store, entry)}
    for name, is_there in names.items():
        store.replace("definitions", **row, name=name, is_there=is_there)
    store.run(
        "delete from definitions where session = ?1 and seq < (select min(seq) from (select seq"
        " from definitions where session = ?1 order by seq desc limit ?2))",
        entry.session,
        DEFINITIONS,
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
    store.insert(
        "tasks",
        then="on conflict do update set title = excluded.title, at = excluded.at",
        **entry.header("session at"),
        task=task,
        title=title,
        stage=stage if isinstance(stage, str) else "pending",
        source=source,
        place=place,
    )


def _helper_used(store: Store, entry: Entry) -> None:
    from holdfast.rooms.work import other_tools

    for name, value in other_tools.states_in(entry.body):
        store.replace("helpers", **entry.header("session at"), helper=name, value=value)


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
    many = store.number("select count(*) from topics where session = ?", session)
    if many > topics.BOUND:
        store.run(
            "delete from topics where session = ?1 and topic not in (select topic from topics"
            " where session = ?1 order by weight desc, topic limit ?2)",
            session,
            topics.BOUND // 2,
        )


def _turned(store: Store, entry: Entry) -> None:
    row = entry.fields("subject turn how words")
    store.insert("turns", project=_home_of(store, entry), **entry.header("id session at"), **row)


def _pinned(store: Store, entry: Entry) -> None:
    from holdfast.rooms.work import topics

    body = entry.body
    store.insert(
        "pins",
        project=_home_of(store, entry),
        **entry.header("id session at"),
        **entry.fields("label content critical"),
        author=body.get("author", ""),
    )
    if entry.session:
        _add_topics(store, entry.session, topics.of_label(body["label"]))


def _learnt(store: Store, entry: Entry) -> None:
    from holdfast.rooms.work import topics

    body = entry.body
    categories = [name for name in body["categories"] if isinstance(name, str)]
    store.insert(
        "learnings",
        project=_home_of(store, entry),
        **entry.header("id session at"),
        **entry.fields("text source"),
        categories=jsontext.dumps(categories),
    )
    if entry.session:
        _add_topics(store, entry.session, topics.of_categories(categories))


def _state_inherited(store: Store, entry: Entry) -> None:
    body, session = entry.body, entry.session
    for origin in _objects(body["sessions"]):
        store.replace(
            "inheritances",
            **entry.header("session at"),
            source=str(origin.get("session", "")),
            permille=int(origin.get("permille", 0)),
            how=body["how"],
        )
    for pin in _objects(body["pins"]):
        row = {name: str(pin.get(name, "")) for name in ("pin", "source")}
        store.insert("inherited_pins", then="on conflict do nothing", session=session, **row)
    if body.get("todos"):
        store.replace("inherited_todos", session=session, source=body["todos"])


def _checkpoint_taken(store: Store, entry: Entry) -> None:
    body = entry.body
    store.insert(
        "checkpoints",
        project=_home_of(store, entry),
        **entry.header("id session at machine seq rank"),
        **entry.fields("cause tokens phase"),
        version=body["schema"],
        tier1=jsontext.dumps(body["tier1"]),
    )
    store.run(
        "update activity set synced_tokens = ? where session = ?", body["tokens"], entry.session
    )


def _handoff_given(store: Store, entry: Entry) -> None:
    row = {"project": _home_of(store, entry), "said": jsontext.dumps(entry.body)}
    store.insert("handoffs", **row, **entry.header("id session at rank"))


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
    for mark in _pairs(body["work"]):
        _forget_work(store, entry, *mark)


def _objects(given: list[Any]) -> list[Body]:
    return [fields for fields in given if isinstance(fields, dict)]


def _pairs(given: list[Any]) -> list[tuple[str, str]]:
    """Pairs of words; what is none, as in a file of somebody else's, is left out."""
    lists = [pair for pair in given if isinstance(pair, list) and len(pair) == 2]
    return [(pair[0], pair[1]) for pair in lists if all(isinstance(word, str) for word in pair)]


def _projects_merged(store: Store, entry: Entry) -> None:
    projections.merge(store, entry, HOMES, (*OF_PROJECT, *branches.TABLES, "definitions"))


def _project_forgotten(store: Store, entry: Entry) -> None:
    """What a person said of it outside of any session; its sessions are forgotten one by one."""
    projections.drop_outside(store, entry.project, OF_PROJECT)
    projections.forget_home(store, entry.project, HOMES)


def _of_branches(store: Store, entry: Entry) -> None:
    from holdfast.rooms.work.branches import projection  # few events are about branches

    projection.DERIVED[entry.kind](store, entry, _home_of(store, entry))


def _home_of(store: Store, entry: Entry) -> str:
    return projections.home_of(store, entry.project, HOMES)


_DERIVED = {
    "prompt_given": _prompt_given,
    "turn_ended": _turn_ended,
    "turn_cut": _turn_cut,
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
