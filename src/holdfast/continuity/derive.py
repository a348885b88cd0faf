"""What entries make of a session's activity: the last prompt, the files, the last command.

Reads the entry and this room's tables, nothing else: the replay law.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

TABLES = ("activity", "touched")

FILE_DEEDS = {"read": "read", "edit": "edited", "create": "created"}
SAYS_CAP = 600


def derive(store: Store, entry: Entry) -> None:
    if entry.kind in ("session_archived", "session_forgotten"):
        drop(store, entry.session)
        return
    store.run(
        "insert or ignore into activity values (?, 0, 0, 0, '', '', '', '', 1, '', '')",
        entry.session,
    )
    if entry.kind == "tool_used":
        _tool_used(store, entry)
    elif entry.kind == "turn_ended":
        store.run(
            "update activity set turns = turns + 1, last_message = ? where session = ?",
            entry.body["message"],
            entry.session,
        )
    else:
        store.run(
            "update activity set prompts = prompts + 1, last_prompt = ?, last_prompt_at = ?"
            " where session = ?",
            entry.body["prompt"],
            entry.at,
            entry.session,
        )


def drop(store: Store, session: str) -> None:
    """Forget what was derived from a session's entries."""
    store.run("delete from activity where session = ?", session)
    store.run("delete from touched where session = ?", session)


def _tool_used(store: Store, entry: Entry) -> None:
    said = entry.body
    command = said.get("command")
    if command:
        store.run(
            "update activity set tools = tools + 1, last_command = ?, last_command_at = ?,"
            " last_command_ok = ?, last_command_says = ? where session = ?",
            command,
            entry.at,
            said["ok"],
            (said.get("error") or said.get("output") or "")[-SAYS_CAP:],
            entry.session,
        )
    else:
        store.run("update activity set tools = tools + 1 where session = ?", entry.session)
    how = FILE_DEEDS.get(said["deed"])
    if how and said["ok"] and said.get("path"):
        # A file that the session made stays made by it; one that it changed was more than read.
        store.run(
            "insert into touched values (?, ?, ?, 1, ?) on conflict do update set"
            " times = times + 1, last_at = excluded.last_at, how = case"
            " when how = 'created' or (how = 'edited' and excluded.how = 'read') then how"
            " else excluded.how end",
            entry.session,
            said["path"],
            how,
            entry.at,
        )
