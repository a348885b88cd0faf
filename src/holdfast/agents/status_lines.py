"""What agents tell their status lines, and the status line that a user had before ours."""

from __future__ import annotations

from holdfast.agents.claude_code import status_payload as claude_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.agents.claude_code.fields import Payload

MARGINS = claude_code.MARGINS
users_own = claude_code.users_own


def session_of(payload: Payload) -> str:
    """The session that is shown, "" when it is not told."""
    return claude_code.session_of(payload)


def pull_request_of(payload: Payload) -> str:
    """The number of the branch's pull request, "" when it is not told."""
    return claude_code.pull_request_of(payload)
