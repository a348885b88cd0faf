"""Show the dashboard in a browser, on this machine alone.

What your agents are doing, what Holdfast keeps and why, what the next session would be told, which
decisions still hold, and whether Holdfast works. The address is good for one browser; press Enter
for another. Started inside an agent, the dashboard is read-only. Needs the extra `web`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import click

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.extra_packages import missing
from holdfast.cli.helpers.report import Report, show
from holdfast.setup import install
from holdfast.system import files, paths

if TYPE_CHECKING:
    from holdfast.web.doors import McpDoor


class ServedPages(TypedDict):
    """The dashboard ended as it should."""

    served: bool


PARAMETERS: list[click.Parameter] = [
    click.Option(["--open", "is_opened"], is_flag=True, help="Open it in your browser."),
    click.Option(["--port"], type=click.IntRange(1, 65_535), help="The port, 4653 by default."),
    click.Option(["--hooks"], is_flag=True, help="Take agents' hooks over HTTP (init --http)."),
    click.Option(["--mcp"], is_flag=True, help="Serve the tools of MCP over HTTP."),
]


def run(*, is_opened: bool, port: int | None, hooks: bool, mcp: bool) -> Report[ServedPages]:
    try:
        from holdfast.cli.helpers import dashboard_acts, dashboard_views
        from holdfast.web.doors import Door, HookDoor
        from holdfast.web.serving import serve
        from holdfast.web.visit import Powers
    except ModuleNotFoundError as error:
        raise missing(error, "the dashboard", "web") from error
    state = paths.state_home()
    doors: list[Door] = []
    if hooks:
        if not files.exists(paths.launcher(state)):
            install.prepare(state)
        doors.append(HookDoor(state))
    if mcp:
        doors.append(mcp_door(state))
    serve(
        state,
        port=port or 0,
        is_opened=is_opened,
        powers=Powers(
            dashboard_acts.ACTS,
            dashboard_views.recall,
            dashboard_views.gates,
            person_check.why_not(),
        ),
        doors=doors,
        tell=lambda line: show(line, is_error=True),  # stdout is the report alone
    )
    return Report((), {"served": True})


def mcp_door(state: str) -> McpDoor:
    """The tools of MCP, as `holdfast mcp` has them."""
    try:
        from holdfast.mcp.server import http_app
    except ModuleNotFoundError as error:
        raise missing(error, "MCP over HTTP", "mcp") from error
    from holdfast.cli.helpers.agent_tools import OFFERS
    from holdfast.cli.helpers.remote_tools import remote
    from holdfast.web.doors import McpDoor

    return McpDoor(state, http_app(remote(OFFERS)))
