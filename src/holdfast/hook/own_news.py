"""What a session that begins is told of Holdfast itself, and of the project's configuration."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event import Event, Remark
    from holdfast.hook.voice import Ours
    from holdfast.ledger.workspace import Workspace


def own_news(workspace: Workspace, event: Event) -> tuple[list[Remark], str]:
    """What went wrong with us and with configuration, said when a session begins; and the digest of
    committed configuration that is told of for the first time."""
    if event.kind != "session_began":
        return [], ""
    from holdfast.config import settings
    from holdfast.ledger import faults

    root = event.body["worktree"]
    workspace.settings(root)  # compiles what has changed, and notes what is wrong with it
    workspace.requirements(root)
    kept = settings.as_compiled(workspace.state, root)
    own, problems = faults.news(workspace.state), settings.problems(kept)
    waiting, unread, committed = settings.of_repository(kept)
    if not (own or problems or waiting or unread):
        return [], ""
    from holdfast.hook.event import NOTICE, Remark
    from holdfast.hook.voice import ours

    news = []
    if own:
        text = ours("About Holdfast itself:")
        news.append(Remark(NOTICE, text, own))
    if problems:
        text = ours("Wrong in the configuration (`holdfast config check` tells more):")
        news.append(Remark(NOTICE, text, items=problems))
    if waiting or unread:
        from holdfast.config import trust

        if trust.is_told(workspace.state, root, committed):
            return news, ""
        news.append(Remark(NOTICE, _about_repository(waiting, unread)))
        return news, committed
    return news, ""


def _about_repository(waiting: int, unread: int) -> Ours:
    """What a repository brought along that does not count, in one line and in our own words."""
    from holdfast.hook.voice import joined, ours

    parts = []
    if waiting:
        many = ours("1 thing waits") if waiting == 1 else ours("{} things wait", waiting)
        parts.append(ours("{} for `holdfast trust` (`--show` names what)", many))
    if unread:
        many = ours("1 part does") if unread == 1 else ours("{} parts do", unread)
        parts.append(
            ours("{} not read (`holdfast req verify` and `holdfast config check` say why)", many)
        )
    what = joined(" and ", parts)
    return ours("Of this repository's committed configuration {}.", what)
