"""What the exit code of a shell text says about each command in it.

A command decides when a zero exit of the whole text means that it ran and ended with zero. Pipes,
`||`, `&`, `!`, branches and loops hide that; `&&`, `set -e` and `set -o pipefail` keep it. When in
doubt a command does not decide.
"""

from __future__ import annotations

from holdfast.shell.shell_state import Scope
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

SEQUENCES = frozenset(["program", "subshell", "compound_statement"])
SUBSTITUTIONS = frozenset(["command_substitution", "process_substitution"])
# Under `set -e` the shell ends when one of these fails; a chain of `&&` may fail and go on.
FATAL = frozenset(["command", "pipeline", "subshell"])
OUTCOMES = {b"false": False, b"true": True, b":": True}
LEAVES = frozenset(  # nothing in them is run
    "word number raw_string string_content variable_name file_descriptor comment ansi_c_string"
    " special_variable_name heredoc_body heredoc_start".split()
)
BRANCHES = frozenset(["elif_clause", "else_clause"])
JUMPS = frozenset(["return", "break", "continue"])


class Shell:
    """What one shell was told on the way: its options, what it knows, and whether it has ended."""

    def __init__(self, scope: Scope | None = None) -> None:
        self.scope = scope or Scope()
        self.errexit = False
        self.pipefail = False
        self.may_have_ended = False  # with zero, before what follows
        self.has_ended = False  # surely

    def forked(self) -> Shell:
        shell = Shell(self.scope.forked())
        shell.has_ended = self.has_ended
        shell.errexit = self.errexit
        shell.pipefail = self.pipefail
        shell.may_have_ended = self.may_have_ended
        return shell

    def note(self, program: str, arguments: Sequence[str], *, is_sure: bool) -> None:
        """Take note of a command that changes the shell it runs in."""
        self.scope.note(program, list(arguments))
        if is_sure and (program == "exit" or (program == "exec" and arguments)):
            self.has_ended = True
        if program == "set":
            self._set(arguments, is_sure=is_sure)
        elif program in JUMPS or (program == "exec" and arguments):
            self.may_have_ended = True
        elif program == "exit":
            code = arguments[0] if arguments else ""
            fails = code.isdecimal() and code.isascii() and int(code[-9:]) % 256 != 0
            self.may_have_ended = self.may_have_ended or not fails

    def _set(self, arguments: Sequence[str], *, is_sure: bool) -> None:
        """An option counts as set when the command surely ran, and as unset when it may have."""
        before = ""
        for word in arguments:
            is_name = before[:1] in ("-", "+") and before[-1:] == "o"  # `-o pipefail`
            if not is_name and (word[:1] not in ("-", "+") or word in ("--", "-")):
                return
            is_on = (before if is_name else word)[0] == "-"
            before = "" if is_name else word
            if is_on and not is_sure:
                continue
            if is_name and word == "pipefail":
                self.pipefail = is_on
            elif word == "errexit" if is_name else "e" in word[1:]:
                self.errexit = is_on


class Place(Value):
    """Where a command stands in a text."""

    shell: Shell
    decides: bool = True
    is_last: bool = True  # nothing of the text runs after it
    is_sure: bool = True  # it runs, if the text comes this far
    heeds_errexit: bool = True  # `set -e` counts here, as it does not before `&&`
    is_dead: bool = False  # it never runs

    def within(
        self,
        *,
        shell: Shell | None = None,
        decides: bool = True,
        is_last: bool = True,
        is_sure: bool = True,
        heeds_errexit: bool = True,
        is_dead: bool = False,
    ) -> Place:
        """A place inside of this one: what does not hold for the whole holds for no part."""
        return Place(
            shell or self.shell,
            decides=decides and self.decides,
            is_last=is_last and self.is_last,
            is_sure=is_sure and self.is_sure,
            heeds_errexit=heeds_errexit and self.heeds_errexit,
            is_dead=is_dead or self.is_dead,
        )

    def hidden(self, shell: Shell | None = None, *, is_dead: bool = False) -> Place:
        """A place whose exit code nobody hears of."""
        return self.within(
            shell=shell,
            decides=False,
            is_last=False,
            is_sure=False,
            heeds_errexit=False,
            is_dead=is_dead,
        )


def nowhere(scope: Scope | None = None) -> Place:
    """A place for commands that are only looked at."""
    return Place(Shell(scope)).hidden()


def parts(node: Node, place: Place) -> Iterator[tuple[Node, Place]]:
    """The named children of a node in their order, each with its place.

    To be visited one by one: what a command tells its shell counts for those after it.
    """
    if node.type in SEQUENCES:
        yield from _sequence(node, place)
    elif node.type == "list":
        yield from _chain(node, place)
    elif node.type == "pipeline":
        yield from _pipeline(node, place)
    elif node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        for child in node.named_children:
            yield child, place if child == body else place.hidden()
    elif node.type == "function_definition":
        place.shell.may_have_ended = True  # whatever it is called, and whatever it does
        for child in node.named_children:  # it runs where it is called
            yield child, place.hidden(place.shell.forked(), is_dead=True)
    else:
        shell = place.shell.forked() if node.type in SUBSTITUTIONS else place.shell
        condition = node.child_by_field_name("condition")
        decided = outcome(condition) if condition else None
        hidden = place.hidden(shell)
        for child in node.named_children:
            if child.type in LEAVES:
                continue
            is_dead = child != condition and (child.type in BRANCHES) is decided
            yield child, hidden.hidden(is_dead=True) if is_dead else hidden


def outcome(node: Node | None) -> bool | None:
    """Whether a statement ends with zero, where its own words say so."""
    if node is None or node.type == "command":
        return OUTCOMES.get(node.text or b"") if node else None
    if node.type == "list":
        is_and = any(child.type == "&&" for child in node.children)
        return False if is_and and outcome(node.named_child(0)) is False else None
    return None


def _sequence(node: Node, place: Place) -> Iterator[tuple[Node, Place]]:
    """`a; b`: the last one's exit code is the whole's; under `set -e` the others' too."""
    shell = place.shell.forked() if node.type == "subshell" else place.shell
    statements = [child for child in node.named_children if child.type != "comment"]
    for statement in statements:
        following = statement.next_sibling
        if following is not None and following.type == "&":
            yield statement, place.hidden(shell.forked())
        elif statement == statements[-1]:
            yield statement, place.within(shell=shell)
        else:
            is_fatal = shell.errexit and place.heeds_errexit and _unredirected(statement) in FATAL
            yield statement, place.within(shell=shell, decides=is_fatal, is_last=False)


def _unredirected(statement: Node) -> str:
    while statement.type == "redirected_statement":
        body = statement.child_by_field_name("body")
        if body is None:
            break
        statement = body
    return statement.type


def _chain(node: Node, place: Place) -> Iterator[tuple[Node, Place]]:
    """`a && b` is zero when both are; after `a || b` nobody can tell."""
    is_and = any(child.type == "&&" for child in node.children)
    is_dead = outcome(node.named_child(0)) is (not is_and)
    for child in node.named_children:
        if child == node.named_children[0]:
            yield (
                child,
                place.within(decides=is_and, is_last=False, heeds_errexit=False),
            )
        else:
            yield child, place.within(decides=is_and, is_sure=False, is_dead=is_dead)


def _pipeline(node: Node, place: Place) -> Iterator[tuple[Node, Place]]:
    """The last stage's exit code is the whole's; under `pipefail` the others' too."""
    stages = [child for child in node.named_children if child.type != "comment"]
    is_negated = bool(stages) and stages[0].type == "negated_command"  # `!` is the whole's
    pipefail = place.shell.pipefail
    for stage in stages:
        if is_negated:
            yield stage, place.hidden()
        elif stage == stages[-1]:
            yield stage, place.within(is_sure=False)
        else:
            yield (
                stage,
                place.within(
                    shell=place.shell.forked(),
                    decides=pipefail,
                    is_last=False,
                    is_sure=False,
                    heeds_errexit=False,
                ),
            )
