"""What agents tell their status lines, and the status line that a user had before ours."""

from __future__ import annotations

from holdfast.agents.claude_code import status_payload as claude_code

MARGINS = claude_code.MARGINS
users_own = claude_code.users_own


session_of = claude_code.session_of
pull_request_of = claude_code.pull_request_of
