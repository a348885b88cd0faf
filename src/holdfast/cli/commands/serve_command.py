"""Show the dashboard in a browser, on this machine alone.

What your agents are doing, what Holdfast keeps and why, what the next session would be told, which
decisions still hold, and whether Holdfast works. The address is good for one browser; press Enter
for another. Started inside an agent, the dashboard is read-only. Needs the extra `web`.
"""

from __future__ import annotations

from typing import TypedDict

import click

from holdfast.cli.commands.mcp_command import missing
from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.report import Report, show
from holdfast.cli.helpers.verbs import flag, option
from holdfast.system import paths


class ServedPages(TypedDict):
    """The dashboard ended as it should."""

    served: bool


PARAMETERS = [
    flag("--open", "is_opened", help="Open it in your browser."),
    option("--port", type=click.IntRange(1, 65_535), help="The port, 4653 by default."),
]


def run(*, is_opened: bool, port: int | None) -> Report[ServedPages]:
    try:
        from holdfast.cli.helpers import dashboard_acts
        from holdfast.web.serving import serve
        from holdfast.web.visit import Powers
    except ModuleNotFoundError as error:
        raise missing(error, "the dashboard", "web") from error
    serve(
        paths.state_home(),
        port=port or 0,
        is_opened=is_opened,
        powers=Powers(
            dashboard_acts.ACTS,
            dashboard_acts.recall,
            dashboard_acts.gates,
            person_check.why_no_dashboard(),
        ),
        tell=lambda line: show(line, is_error=True),  # stdout is the report alone
    )
    return Report((), {"served": True})
