"""Other tools' state, read from their calls."""

from __future__ import annotations

import pytest

from holdfast.rooms.work.other_tools import revival, states_in

pytestmark = pytest.mark.promise("C11")


def call(tool: str, output: str = "", ok: bool = True, **given: object) -> dict[str, object]:
    return {"tool": tool, "ok": ok, "input": given, "output": output}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (call("mcp__serena__activate_project", project="/srv/app"), [("serena", "/srv/app")]),
        (call("mcp__serena__activate_project", ok=False, project="/srv/app"), []),
        (call("mcp__serena__find_symbol", project="x"), []),
        (call("mcp__pal__chat", continuation_id="c-1"), [("pal:pal", "c-1")]),
        (
            call("mcp__pal__chat", output='[{"text":"{\\"continuation_id\\": \\"c-2\\"}"}]'),
            [("pal:pal", "c-2")],
        ),
        (
            call("mcp__pal__chat", output='{"continuation_id":"c-3"}', continuation_id="c-1"),
            [("pal:pal", "c-3")],
        ),
        (call("mcp__files__read", path="a"), []),
        (call("mcp__serena__activate_project", project=7), []),
    ],
)
def test_a_call_tells_its_tool_s_state(said, expected):
    assert states_in(said) == expected


def test_each_helper_says_what_brings_it_back():
    assert "activate_project" in revival("serena", "/srv/app")
    assert 'continuation_id "c-1"' in revival("pal:pal", "c-1")
