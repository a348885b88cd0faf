"""What the session before left behind, told to the one that begins."""

from __future__ import annotations

from holdfast.briefing import inline
from holdfast.continuity import shelf
from holdfast.event import GOAL, NEXT, TOPICS, Remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.lifecycle import Work

FILES = 12


def greet(work: Work) -> None:
    """The last prompt, the files, the last command: of the session before, or of this one."""
    source = work.event.body["source"]
    if work.kept is None:
        return
    if source == "resume" and "crashed" not in work.facts:
        return  # its whole transcript comes back by itself
    own = source in ("compact", "resume")
    session = work.event.session if own else work.previous()
    done = shelf.activity(work.store, session) if session else None
    if done is None:
        return
    whose = (
        "This session's" if own else "Its" if "crashed" in work.facts else "The session before's"
    )
    if done["last_prompt"]:
        work.remarks.append(Remark(GOAL, f"{whose} last prompt:", done["last_prompt"]))
    files = shelf.changed(work.store, session, FILES)
    if files:
        more = shelf.count_changed(work.store, session) - len(files)
        named = ", ".join(f"{inline(path)} ({how})" for path, how in files)
        work.remarks.append(
            Remark(TOPICS, f"Files changed: {named}{f', and {more} more' if more > 0 else ''}.")
        )
    if done["last_command"]:
        command = f"`{inline(done['last_command'])}`"
        if done["last_command_ok"]:
            work.remarks.append(Remark(TOPICS, f"Last command, which succeeded: {command}"))
        else:
            work.remarks.append(
                Remark(NEXT, f"Last command, which failed: {command}", done["last_command_says"])
            )
