"""What a tool call does: its actions, and the parts of it that nobody can read."""

from __future__ import annotations

from holdfast.agents import acts
from holdfast.rooms.gates.actions.vocabulary import Action, Seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.gates.tool_call import Call

# Tools of MCP servers, by their own names, and what they do.
PULL_REQUEST_TOOLS = {
    "create_pull_request": "create",
    "create_merge_request": "create",
    "merge_pull_request": "merge",
    "merge_merge_request": "merge",
    "accept_merge_request": "merge",
    "create_pull_request_review": "comment",
    "add_issue_comment": "comment",
    "add_pull_request_review_comment": "comment",
    "submit_pending_pull_request_review": "comment",
    "create_note": "comment",
}
# With none of these in it, each command of a line begins with its program.
HIDING = frozenset("$`\\(){}<>")
LOOKERS = frozenset(
    "cat cd cut date df diff dirname du echo file grep head jq ls nl ps pwd realpath rg stat tail"
    " test tr tree true uniq wc which".split()
)
GIT_LOOKS = frozenset("blame diff fetch log ls-files remote rev-parse show status".split())
WRITING_WORDS = (
    "write",
    "edit",
    "create",
    "update",
    "delete",
    "move",
    "replace",
    "insert",
    "append",
)


def only_looks(command: str) -> bool:
    """Whether it is plain that a command does nothing that has a name, but for being run."""
    command = command.replace("2>&1", "").replace("2>/dev/null", "")
    if not command or not HIDING.isdisjoint(command):
        return False
    for sign in ";|&":
        command = command.replace(sign, "\n")
    for piece in command.splitlines():
        program, verb = [*piece.split(maxsplit=2), "", ""][:2]
        if program and program not in LOOKERS and not (program == "git" and verb in GIT_LOOKS):
            return False
    return True


def of_call(call: Call) -> Seen:
    """The actions of any tool call."""
    if call.command:
        from holdfast.system.environment import bring

        bring("commands")
        from holdfast.rooms.gates.actions.command_reading import in_command

        return Seen(*in_command(call.command, call.folder))
    if call.deed == "delegate":
        return Seen([Action("subagent", model=call.input.get("model"))], [])
    if call.deed == "skill":
        return Seen([Action("skill", name=acts.skill(call.input))], [])
    if call.deed in ("edit", "create"):
        return Seen(_edited(call), [])
    return Seen(_by_server(call) if acts.is_of_server(call.tool) else [], [])


def _edited(call: Call) -> list[Action]:
    edit = Action("edit_files", path=call.where)
    write = Action("write", path=call.where)
    write.text = _added(call)
    for action in (edit, write):
        action.folder = call.folder
    return [edit, write]


def _added(call: Call) -> str:
    """The lines that come: neither those that an edit replaces nor those that a file has."""
    pairs = acts.replacements(call.input)
    old, new = acts.written(call.input)
    if pairs:
        old, new = ("\n".join(texts) for texts in zip(*pairs, strict=True))
    elif call.where:
        from holdfast.system import files

        old = files.read_text(call.where) or ""
    before = set(str(old).splitlines())
    return "\n".join(line for line in str(new or "").splitlines() if line not in before)


def _by_server(call: Call) -> list[Action]:
    _, tool = acts.server_and_tool(call.tool)
    given = call.input
    act = PULL_REQUEST_TOOLS.get(tool)
    if act:
        base = given.get("base") or given.get("target_branch")
        draft = given.get("draft") is True
        return [Action("pull_request", base=base, draft=draft, **{act: True})]
    if tool == "push_files":
        return [Action("push", branch=given.get("branch"))]
    text = given.get("sql") or given.get("query")
    if isinstance(text, str):
        from holdfast.rooms.gates.actions.program_actions import drops

        return [Action("drop_database_object")] if drops(text) else []
    if tool == "apply_migration":
        return [Action("migrate_database")]
    if call.where and any(word in tool for word in WRITING_WORDS):
        return _edited(call)
    return []
