"""The simple commands that running a shell text would run, or could.

Both sides of `||`, every branch and every function body count. Text does not: what `echo` says, a
commit's message, a comment, a heredoc; unless a shell is given it to run. What a variable, an alias
or a function holds counts as far as the text itself says it (shell_state.py); any other variable
stays as it was written, and what that hides is noted. Whoever names a folder has the scripts read
that lie there.

The grammar is tree-sitter's; it is loaded only for a text that has more than words in it.

What is read is bounded: a text with more operators than anybody writes is not read at all, not even
the part that could be, and neither is one that gives such a text to a shell. Other heredocs may be
as long as they like.
"""

from __future__ import annotations

from holdfast.shell.exit_code import Place, Shell, nowhere, parts
from holdfast.shell.heredoc import Body, TooLongError, lifted
from holdfast.shell.program import Word, name
from holdfast.shell.shell_state import Scope, World, joined, values
from holdfast.shell.wrappers import SHELLS, inner, is_assignment, listens, passes_exit_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    Words = list[Word]

SPECIAL = frozenset("|&;<>()$`\\\"'{}[]!#\n\r\0")
RESERVED = frozenset(
    "if then else elif fi for while until do done case esac function select".split()
)
DEPTH = 12  # shells within shells
NESTING = 150  # brackets within brackets, far from the interpreter's limit
TEXT_LENGTH = 200_000  # without heredocs
OPERATORS, OPERATORS_CAP = ";|&()`{}\n$<>", 5_000
NODES_CAP = 10_000  # of the grammar's tree
TRIES = 60  # lines that may stand before the one in error
LONG = 20_000
REMEMBERED = 4  # texts, each of which several triggers ask for

EXPANSIONS = frozenset(
    "simple_expansion expansion command_substitution process_substitution"
    " arithmetic_expansion".split()
)
DECLARING = frozenset(["declaration_command", "unset_command"])
OUTER = frozenset(["command", "variable_assignment", "variable_assignments", *DECLARING])
LEFT_OUT = frozenset("string raw_string ansi_c_string translated_string comment".split())
CASE_ENDS = frozenset([";;", ";&", ";;&"])
SPEAKING = frozenset(["echo", "printf"])
WRITING = frozenset([">", ">>", ">|", "&>", "&>>", "<>"])
BRANCHING = frozenset("if_statement case_statement while_statement list".split())
VALUED = frozenset(["simple_expansion", "expansion"])
# What is asked for the branch that is checked out.
BRANCH_ASKED = (
    "git branch --show-current",
    "git rev-parse --abbrev-ref HEAD",
    "git symbolic-ref --short HEAD",
)
BRACES = 3  # pairs of them in a word
EXPORTING = ("export", "declare -x", "typeset -x")
ALL = ("$@", "${@}")
WAYS_TRIED = 8  # values of a loop's variable, items that xargs hands on
OF_SHELL = frozenset("eval trap time ! { then do else".split())  # their commands may be functions
SAME_SHELL = frozenset(["eval", "trap"])  # these run a text in the shell that they stand in


class SimpleCommand:
    """One command that a text runs, or could."""

    def __init__(
        self,
        words: Words,
        place: Place,
        run_by: SimpleCommand | None = None,
        stdin: str | None = None,
    ) -> None:
        self.words = words
        self.stdin = stdin  # what it is given to read, where that is known
        self.folder = place.shell.scope.folder
        self.runs = not (place.is_dead or place.shell.has_ended)  # or may, for all that is known
        # A zero exit of the text means that this command ran and ended with zero.
        self.decides = place.decides and not place.shell.may_have_ended
        self.is_last = place.is_last  # nothing of the text runs after it
        self.run_by = run_by  # `sudo git push` runs `git push`


def commands(text: str) -> list[list[str]] | None:
    """The simple commands as words without quotes; None when the text cannot be read."""
    simple = parsed(text)
    return None if simple is None else [[word.text for word in each.words] for each in simple]


_parsed_before: dict[str, list[SimpleCommand] | None] = {}
_too_long: set[str] = set()
_whole_before: dict[str, bool] = {}


def parsed(text: str) -> list[SimpleCommand] | None:
    """The simple commands, each followed by those that it runs in its turn."""
    if text not in _parsed_before:
        if len(_parsed_before) >= REMEMBERED:
            _parsed_before.clear()
            _too_long.clear()
        try:
            _parsed_before[text] = seen(text, World())
        except TooLongError:
            _parsed_before[text] = None
            _too_long.add(text)
    return _parsed_before[text]


def seen(text: str, world: World) -> list[SimpleCommand] | None:
    """The same in a world whose files are read, and which is told what could not be seen."""
    return _parsed(text, 0, Place(Shell(Scope(world))))


def is_too_long(text: str) -> bool:
    """Whether the text was not read because of its length; one with a mistake in it is another
    matter: a shell would not run it either."""
    return parsed(text) is None and text in _too_long


def _parsed(text: str, depth: int, place: Place) -> list[SimpleCommand] | None:
    if depth > DEPTH:
        raise TooLongError
    text = text.replace("\r\n", "\n")
    if len(text) <= TEXT_LENGTH and is_plain(text):
        words = [Word(part) for part in _parts(text)]
        while words and is_assignment(words[0].text):
            words.pop(0)
        return _with_inner(words, depth, place) if words else []
    source, bodies = _lifted(text)
    simple = _Reading(source, bodies, depth).all(place)
    if simple is not None:
        return simple
    place.shell.may_have_ended = True
    if not place.is_dead:
        place.shell.scope.world.hide(text)
    return _before_the_error(source, bodies, depth, place.hidden())


def _lifted(text: str) -> tuple[str, dict[str, Body]]:
    source, bodies = lifted(text.replace("\r\n", "\n"), TEXT_LENGTH)
    if len(source) > TEXT_LENGTH or sum(map(source.count, OPERATORS)) > OPERATORS_CAP:
        raise TooLongError
    return source, bodies


def is_whole(text: str) -> bool:
    """The grammar can read all of the text, and not only the lines before an error."""
    if text not in _whole_before:
        if len(_whole_before) >= REMEMBERED:
            _whole_before.clear()
        try:
            _whole_before[text] = (
                is_plain(text) or _Reading(*_lifted(text), 0).all(nowhere()) is not None
            )
        except TooLongError:
            _whole_before[text] = False
    return _whole_before[text]


def outline(text: str) -> str:
    """The text itself, with its operators; what is in quotes, and remarks, are left out. Empty
    when it is not read."""
    try:
        return _Reading(*_lifted(text), 0).outline()
    except TooLongError:
        return ""


def written(text: str) -> list[str]:
    """The files that redirections of the text would write to, and of what its commands run."""
    world = World()
    try:
        seen(text, world)
    except TooLongError:
        return []  # `parsed` says so
    return [file.text for file, _, _ in world.writes]


def is_plain(text: str) -> bool:
    """Words and blanks alone: to be read without a grammar."""
    if not SPECIAL.isdisjoint(text):
        return False
    return not RESERVED.intersection(_parts(text)[:1])


def _parts(text: str) -> list[str]:
    return [part for part in text.replace("\t", " ").split(" ") if part]


def run_by(words: list[str]) -> list[list[str]]:
    """A command and those that it runs in its turn, of words that somebody else has split."""
    simple = _with_inner([Word(text) for text in words], 0, nowhere())
    return [[word.text for word in command.words] for command in simple]


def _with_inner(
    words: Words,
    depth: int,
    place: Place,
    outer: SimpleCommand | None = None,
    stdin: str | None = None,
    own: dict[str, list[str] | None] | None = None,
) -> list[SimpleCommand]:
    """A command and what it runs. `own` are the variables that are set for it alone."""
    scope = place.shell.scope
    scope.world.step()
    if any(word.text == "{" and not word.is_quoted for word in words):
        place.shell.may_have_ended = True  # `time { a; } &`: to the grammar two commands
    command = SimpleCommand(words, place, outer, stdin)
    simple = [command]
    program = name(words[0])
    if not program and command.runs:
        scope.world.hide(shown(words))
    if depth > DEPTH or not program:
        return simple
    direct, texts = inner(words, stdin)
    decides = command.decides and len(direct) + len(texts) == 1 and passes_exit_on(words)
    if program == "xargs":
        direct = [way for inside in direct for way in _handed_on(words, inside, stdin)]
    for inside in direct:
        simple += _with_inner(
            inside, depth + 1, place.within(decides=decides, is_sure=False), command, stdin, own
        )
    arguments = [word.text for word in words[1:]]
    for text in texts:
        stays = program in SAME_SHELL
        where = Place(
            place.shell if stays else Shell(scope.process(own or {}, *_after(words, text))),
            decides=decides,
            is_last=place.is_last,
            is_sure=not stays,
            heeds_errexit=not stays,
            is_dead=not command.runs,
        )
        simple += _run_by(command, _parsed(text, depth + 1, where))
    if program == "tee" and stdin is not None:
        scope.world.files |= {joined(scope.folder, path): stdin for path in arguments}
    if command.runs:
        simple += _run_by(command, _in_project(command, program, depth, place))
        place.shell.note(program, arguments, is_sure=place.is_sure)
    return simple


def shown(words: Words) -> str:
    return " ".join(word.text for word in words)


def _after(words: Words, text: str) -> tuple[list[str], str]:
    """What `sh -c TEXT name one two` gives its text: `one`, `two`; and `$0`."""
    texts = [word.text for word in words]
    rest = texts[texts.index(text) + 1 :] if text in texts else []
    return rest[1:], "".join(rest[:1])


def _handed_on(words: Words, inside: Words, stdin: str | None) -> list[Words]:
    """The commands that xargs makes of one, with what it reads where that is known."""
    flags = [word.text for word in words[: len(words) - len(inside)]]
    flag = next((each for each in flags if each.startswith("-I")), "")
    if stdin is None:
        return [inside]
    if not flag:
        return [[*inside, *map(Word, stdin.split())]]
    mark = flag[2:] or flags[flags.index(flag) + 1]
    lines = [line.strip() for line in stdin.splitlines() if line.strip()]
    return [
        [Word(word.text.replace(mark, line), word.is_quoted, word.is_known) for word in inside]
        for line in lines[:WAYS_TRIED]
    ]


def _in_project(
    command: SimpleCommand, program: str, depth: int, place: Place
) -> list[SimpleCommand] | None:
    """What a function, an alias, a script or a chore of the project runs."""
    words, scope = command.words, place.shell.scope
    arguments = [word.text for word in words[1:]]
    is_own = command.run_by is None or name(command.run_by.words[0]) in OF_SHELL
    if program in scope.functions and is_own and "/" not in words[0].text:
        command.runs = False
        return _called(scope, program, arguments, place)
    if program in scope.aliases and is_own and not words[0].is_quoted:
        command.runs = False
        text = " ".join([scope.aliases[program], *map(requoted, arguments)])
        bare = scope.forked()
        del bare.aliases[program]
        return _parsed(text, depth + 1, nowhere(bare))
    if not scope.world.folder:
        return None
    from holdfast.shell import project_scripts

    outer = name(command.run_by.words[0]) if command.run_by else ""
    script = project_scripts.script(words, outer, scope, SHELLS)
    if script is not None and outer in project_scripts.SOURCING:
        return _parsed(script, depth + 1, place.hidden())
    script = project_scripts.chore(words, scope) if script is None else script
    if script is None:
        return None
    return _parsed(script, depth + 1, nowhere(scope.process({}, arguments)))


def _called(scope: Scope, function: str, arguments: list[str], place: Place) -> list[SimpleCommand]:
    reading, body = scope.functions[function]
    if scope.depth >= DEPTH:
        return []
    before = scope.variables.get("@")
    scope.depth += 1
    scope.variables["@"] = arguments
    simple: list[SimpleCommand] = reading.called(body, place.hidden())
    scope.variables["@"] = before
    scope.depth -= 1
    return simple


def requoted(text: str) -> str:
    quoted = text.replace("'", "'\\''")
    return f"'{quoted}'"


def _run_by(outer: SimpleCommand, simple: list[SimpleCommand] | None) -> list[SimpleCommand]:
    for command in simple or []:
        command.run_by = command.run_by or outer
    return simple or []


def _before_the_error(
    source: str, bodies: dict[str, Body], depth: int, place: Place
) -> list[SimpleCommand] | None:
    """A shell runs the lines before the one it cannot read; so those count."""
    lines = source.split("\n") if len(source) < LONG else []
    simple: list[SimpleCommand] = []
    start = 0
    has_read = False
    left = LONG * 4  # characters that are tried
    for end in range(1, min(len(lines), TRIES)):
        chunk = "\n".join(lines[start:end])
        left -= len(chunk)
        if left < 0:
            break
        read = _Reading(chunk, bodies, depth).all(place) if chunk.strip() else []
        if read is not None:
            simple += read
            has_read = has_read or bool(read)
            start = end
    return simple if has_read else None


class _Reading:
    """One text under the grammar."""

    def __init__(self, source: str, bodies: dict[str, Body], depth: int) -> None:
        self.source = source
        self.bodies = bodies
        self.depth = depth
        self.simple: list[SimpleCommand] = []
        self.further: dict[int, Words] = {}
        self.stdins: dict[int, str] = {}  # of commands that are given something to read
        self.is_broken = False
        self.shell = Shell()  # where the visit is

    def root(self) -> Node:
        from holdfast.shell.grammar import root_of

        root = root_of(_ascii(self.source))
        if root.descendant_count > NODES_CAP:
            raise TooLongError
        return root

    def all(self, place: Place) -> list[SimpleCommand] | None:
        root = self.root()
        if root.has_error:
            return None
        self.visit(root, NESTING, place)
        return None if self.is_broken else self.simple

    def outline(self) -> str:
        parts: list[str] = []
        at = 0
        waiting = [self.root()]
        while waiting:
            node = waiting.pop()
            if node.type in LEFT_OUT and node.start_byte >= at:
                parts += [self.slice(at, node.start_byte), '""']
                at = node.end_byte
            else:
                waiting += reversed(node.named_children)
        return "".join([*parts, self.slice(at, len(self.source))])

    def visit(self, node: Node, left: int, place: Place) -> None:
        if left < 0:
            raise TooLongError
        self.shell = place.shell
        scope = place.shell.scope
        scope.world.step()
        act = ACTS.get(node.type)
        if act is not None:
            act(self, node, left, place)
        if node.type != "case_item" and any(child.type in CASE_ENDS for child in node.children):
            self.is_broken = True
        if node.type == "for_statement" and self.turns(node, left, place):
            return
        since = len(scope.assigned)
        for child, where in parts(node, place):
            self.visit(child, left - 1, where)
        if node.type in BRANCHING:
            scope.join(since)
        if node.type in ("redirected_statement", "command"):
            self.keep_writes(node, left, place)

    def define(self, node: Node, left: int, place: Place) -> None:
        function, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if function is not None and body is not None and left and not place.is_dead:
            place.shell.scope.functions[self.text(function)] = (self, body)

    def called(self, body: Node, place: Place) -> list[SimpleCommand]:
        """What a function runs that is called."""
        before, self.simple = self.simple, []
        self.visit(body, NESTING, place)
        made, self.simple = self.simple, before
        return made

    def turns(self, node: Node, left: int, place: Place) -> bool:
        """The body of a loop for each value of its variable, where they are known and few."""
        variable, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
        items = [
            word for child in node.children_by_field_name("value") for word in self.fields(child)
        ]
        if variable is None or body is None:
            return False
        is_known = all(word.is_known and not set("*?[") & set(word.text) for word in items)
        if not items or not is_known or len(items) > WAYS_TRIED:
            place.shell.scope.variables[self.text(variable)] = None
            return False
        for word in items:
            place.shell.scope.variables[self.text(variable)] = [word.text]
            self.visit(body, left - 1, place.hidden())
        return True

    def assign(self, node: Node, left: int, place: Place) -> None:
        """`X=...`, `X=(...)`, `X+=...`; what stands before a command is set for it alone."""
        parent, scope = node.parent, place.shell.scope
        if parent is None or parent.type == "command" or place.is_dead or not left:
            return
        variable, items = self.assignment(node)
        if variable:
            scope.assign(variable, items)
        if parent.type == "declaration_command" and self.text(parent).startswith(EXPORTING):
            scope.exported.add(variable)

    def assignment(self, node: Node) -> tuple[str, list[str] | None]:
        place, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if place is None:
            return "", None
        if value is None:
            words = [Word("")]
        elif value.type == "array":
            words = [word for child in value.named_children for word in self.fields(child)]
        else:
            words = [self.word(value)]
        items = [word.text for word in words] if all(word.is_known for word in words) else None
        variable = self.text(place).partition("[")[0]
        if any(child.type == "+=" for child in node.children) and items is not None:
            before = self.shell.scope.items(variable)
            is_list = value is not None and value.type == "array"
            if before is not None:
                items = [*before, *items] if is_list else ["".join([*before, *items])]
        return variable, None if place.type == "subscript" else items

    def command(self, node: Node, left: int, place: Place) -> None:
        if node.type == "command":
            self.feed(node, left, place)
        words = self.words(node)
        if words and words[0].text in RESERVED and not words[0].is_quoted:
            self.is_broken = True  # the grammar takes `done; ls` for a command named done
        elif words:
            own = dict(
                self.assignment(child)
                for child in node.named_children
                if child.type == "variable_assignment"
            )
            stdin = self.stdins.get(node.id)
            self.simple += _with_inner(words, self.depth, place, None, stdin, own)

    def words(self, node: Node) -> Words:
        if node.type in DECLARING:
            return [self.word(child) for child in node.children]
        words = []
        for child in node.named_children:
            if child.type == "command_name" and child.named_children:
                words += self.fields(child.named_children[0])
            elif child.type == "file_redirect":
                words += [self.word(extra) for extra in _beyond_the_file(child)]
            elif not child.type.endswith("_redirect") and child.type not in OUTER:
                words += self.fields(child)
        words += self.further.get(node.id, [])
        return [part for word in words for part in _braces(word)]

    def redirected(self, node: Node, left: int, place: Place) -> None:
        self.feed(node, left, place)
        self.keep_words_after_files(node)

    def keep_words_after_files(self, node: Node) -> None:
        """In `git >log push` the grammar takes `push` for a second file."""
        words: Words = []
        for redirect in node.children_by_field_name("redirect"):
            if redirect.type == "file_redirect":
                words += [self.word(extra) for extra in _beyond_the_file(redirect)]
        last = node.child_by_field_name("body")
        while words and last is not None:
            if last.type == "command":
                self.further[last.id] = words
            is_open = last.type in ("list", "pipeline", "negated_command")
            last = last.named_child(last.named_child_count - 1) if is_open else None

    def fields(self, node: Node) -> Words:
        """The words that a part of a command becomes: `$X` and `"${A[@]}"` may be several."""
        kind = node.type
        if kind in VALUED:
            items = values(self.text(node), self.shell.scope)
            if items is not None:
                return [Word(part, "{" in part) for item in items for part in item.split()]
        inside = node.named_child(0) if kind == "string" and node.named_child_count else None
        if inside is not None and self.text(node) == f'"{self.text(inside)}"':
            text = self.text(inside)
            items = values(text, self.shell.scope) if text in ALL or "[@]" in text else None
            if items is not None:
                return [Word(item, is_quoted=True) for item in items]
        return [self.word(node)]

    def word(self, node: Node) -> Word:
        text, is_quoted, is_known = self.spoken(node, NESTING)
        return Word(text, is_quoted=is_quoted, is_known=is_known)

    def spoken(self, node: Node, left: int) -> tuple[str, bool, bool]:
        """What the program gets, whether it stood in quotes, and whether that is known."""
        raw = self.text(node)
        if node.type in EXPANSIONS or left < 0:
            value = self.expanded(node)
            return (raw, False, False) if value is None else (value, False, True)
        if node.type == "raw_string":
            return raw[1:-1], True, True
        if node.type == "ansi_c_string":
            return _unescaped_ansi(raw[2:-1]), True, True
        if node.type == "string":
            return self.double_quoted(node)
        if node.type in ("concatenation", "translated_string"):
            parts = [
                self.spoken(child, left - 1) for child in node.children if self.text(child) != "$"
            ]
            return (
                "".join(part[0] for part in parts),
                any(part[1] for part in parts),
                all(part[2] for part in parts),
            )
        return _unescaped(raw), "\\" in raw, True

    def double_quoted(self, node: Node) -> tuple[str, bool, bool]:
        parts: list[str] = []
        is_known = True
        at = node.start_byte + 1
        for child in node.named_children:
            if child.type in EXPANSIONS:
                value = self.expanded(child)
                before = _unescaped_double(self.slice(at, child.start_byte))
                parts += [before, self.text(child) if value is None else value]
                at = child.end_byte
                is_known = is_known and value is not None
        parts.append(_unescaped_double(self.slice(at, node.end_byte - 1)))
        return "".join(parts), True, is_known

    def expanded(self, node: Node) -> str | None:
        """What an expansion gives, None when that is not known."""
        raw = self.text(node)
        if node.type in VALUED:
            items = values(raw, self.shell.scope)
            return None if items is None else " ".join(items)
        inside = raw.removeprefix("$(").removesuffix(")").strip().strip("`")
        world = self.shell.scope.world
        if inside.removesuffix(" 2>/dev/null") in BRANCH_ASKED and world.branch:
            return world.branch() or None
        file = inside.removeprefix("cat <").strip()  # a message, as agents write it
        if file in self.bodies and file != inside:
            return self.bodies[file].text.rstrip("\n")
        words = inside.split()
        is_where = words[:1] == ["which"] or words[:2] == ["command", "-v"]
        return words[-1] if is_where and is_plain(inside) else None

    def pipeline(self, node: Node, left: int, place: Place) -> None:
        stages = node.named_children
        for at, stage in enumerate(stages):
            last = self.printed(stages[at - 1], left) if at else []
            self.give(stage, last)
            if at and self.has_listener(stage, left):
                for earlier in stages[: at - 1]:
                    self.run(self.printed(earlier, left), place)
                self.run(last, place)
                if not last:
                    self.hide(node, place)

    def feed(self, node: Node, left: int, place: Place) -> None:
        """What a shell is given by `<<EOF` or `<<<` is run."""
        texts, is_unread = [], False
        for child in node.named_children:
            if child.type == "herestring_redirect" and child.named_children:
                texts.append(self.word(child.named_children[-1]).text)
            elif child.type == "file_redirect":
                bodies = self.bodies_of(child)
                texts += [body.text for body in bodies]
                is_unread |= not bodies and self.reads(child, texts)
        body = _last_of(node)
        self.give(body, texts)
        if (texts or is_unread) and self.has_listener(body, left):
            self.run(texts, place)
            if is_unread:
                self.hide(node, place)

    def reads(self, redirect: Node, texts: list[str]) -> bool:
        """Take in a file that is given to read; whether nobody can see it."""
        if not any(child.type == "<" for child in redirect.children):
            return False
        scope = self.shell.scope
        text = scope.world.read(self.word(redirect.named_children[-1]).text, scope.folder)
        texts += [text] if text is not None else []
        return text is None

    def keep_writes(self, node: Node, left: int, place: Place) -> None:
        """Note the files that the redirections of a statement write to."""
        if place.is_dead or place.shell.has_ended:
            return
        self.shell, scope, body = place.shell, place.shell.scope, _last_of(node)
        for redirect in node.named_children:
            files = redirect.children_by_field_name("destination")[:1]
            writes = any(child.type in WRITING for child in redirect.children)
            for file in map(self.word, files if writes else []):
                if file.text.startswith("/dev/"):
                    continue
                texts = (
                    [self.stdins[body.id]] if body.id in self.stdins else self.printed(body, left)
                )
                scope.world.write(file, "\n".join(texts) if texts else None, scope.folder)

    def give(self, stage: Node, texts: list[str]) -> None:
        while stage.type in ("redirected_statement", "negated_command") and stage.named_children:
            stage = stage.child_by_field_name("body") or stage.named_children[0]
        if texts:
            self.stdins[stage.id] = "\n".join(texts)

    def hide(self, node: Node, place: Place) -> None:
        if not (place.is_dead or place.shell.has_ended):
            self.shell.scope.world.hide(self.text(node))

    def run(self, texts: list[str], place: Place) -> None:
        scope = place.shell.scope
        for text in texts:
            where = nowhere(scope.process({}, []))
            where = where.within(is_dead=place.is_dead or place.shell.has_ended)
            self.simple += _parsed(text, self.depth + 1, where) or []

    def has_listener(self, node: Node, left: int) -> bool:
        if left < 0:
            return False
        if node.type == "command":
            words = self.words(node)
            return bool(words) and any(
                listens(command.words) for command in _with_inner(words, self.depth, nowhere())
            )
        return any(self.has_listener(child, left - 1) for child in node.named_children)

    def printed(self, node: Node, left: int) -> list[str]:
        """What a stage of a pipeline is known to write: an echo, or a heredoc passed on."""
        if left < 0:
            return []
        texts = [body.text for body in self.bodies_of(node)] if node.type == "file_redirect" else []
        if node.type == "herestring_redirect" and node.named_children:
            texts.append(self.word(node.named_children[-1]).text)
        if node.type == "command":
            words = self.words(node)
            if words and name(words[0]) in SPEAKING:
                texts.append(_echoed(words))
            elif words and name(words[0]) == "cat" and len(words) == 2:
                scope = self.shell.scope
                texts += filter(None, [scope.world.read(words[1].text, scope.folder)])
        for child in node.named_children:
            texts += self.printed(child, left - 1)
        return texts

    def bodies_of(self, redirect: Node) -> list[Body]:
        files = redirect.children_by_field_name("destination")[:1]
        return [self.bodies[key] for key in map(self.text, files) if key in self.bodies]

    def substitutions_of_body(self, redirect: Node, left: int, place: Place) -> None:
        """`$(...)` in a heredoc is run, whoever reads the heredoc."""
        for body in self.bodies_of(redirect):
            if body.is_expanded and ("$(" in body.text or "`" in body.text):
                quoted = body.text.replace("\\\\", "").replace('"', "")
                where = nowhere(place.shell.scope.forked()).within(
                    is_dead=place.is_dead or not left
                )
                for command in _parsed(f': "{quoted}"', self.depth + 1, where) or []:
                    if name(command.words[0]) != ":":
                        self.simple.append(command)

    def text(self, node: Node) -> str:
        return self.slice(node.start_byte, node.end_byte)

    def slice(self, start: int, end: int) -> str:
        return self.source[start:end]


# What is done at a node of the grammar, before its parts are visited.
ACTS = {
    "command": _Reading.command,
    "pipeline": _Reading.pipeline,
    "redirected_statement": _Reading.redirected,
    "variable_assignment": _Reading.assign,
    "function_definition": _Reading.define,
    "file_redirect": _Reading.substitutions_of_body,
    **dict.fromkeys(DECLARING, _Reading.command),
}


def _ascii(source: str) -> bytes:
    """One byte for each character, so that the grammar's places are ours.

    Beyond ASCII they are all letters to a shell; and the scanner of tree-sitter-bash 0.25.1 asks
    isdigit() about any character after a brace, which ends the process: `{` and U+D0223.
    """
    if source.isascii():
        return source.encode()
    return bytes(ord(sign) if sign < "\x80" else ord("x") for sign in source)


def _last_of(node: Node) -> Node:
    """The command of a statement to which its redirections belong."""
    body = node.child_by_field_name("body") or node
    while body.type in ("list", "pipeline") and body.named_children:
        body = body.named_children[-1]
    return body


def _beyond_the_file(redirect: Node) -> list[Node]:
    files = redirect.children_by_field_name("destination")
    closes = any(child.type in ("<&-", ">&-") for child in redirect.children)
    return files if closes else files[1:]


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    parts = []
    signs = iter(text)
    for sign in signs:
        parts.append(next(signs, "\\") if sign == "\\" else sign)
    return "".join(parts)


def _unescaped_double(text: str) -> str:
    if "\\" not in text:
        return text
    parts = []
    at = 0
    while at < len(text):
        following = text[at + 1 : at + 2]
        if text[at] == "\\" and following and following in '"\\$`\n':
            parts.append("" if following == "\n" else following)
            at += 2
        else:
            parts.append(text[at])
            at += 1
    return "".join(parts)


ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
DIGITS = {"x": (16, 2), "u": (16, 4), "U": (16, 8)}


def _unescaped_ansi(text: str) -> str:
    parts = []
    at = 0
    while at < len(text):
        if text[at] != "\\" or at + 1 == len(text):
            parts.append(text[at])
            at += 1
            continue
        sign = text[at + 1]
        base, most = DIGITS.get(sign, (8, 3))
        start = at + 2 if sign in DIGITS else at + 1
        end = start
        while (
            end < len(text)
            and end - start < most
            and text[end] in "0123456789abcdefABCDEF"[: base + 6 if base == 16 else 8]
        ):
            end += 1
        if end > start:
            parts.append(chr(min(int(text[start:end], base), 0x10FFFF)))
            at = end
        else:
            parts.append(ANSI.get(sign, sign))
            at += 2
    return "".join(parts)


def _braces(word: Word) -> Words:
    """`{git,push}` is two words."""
    text = word.text
    if word.is_quoted or not (word.is_known and "," in text and 0 < text.count("{") <= BRACES):
        return [word]
    head, _, rest = text.partition("{")
    middle, closing, tail = rest.partition("}")
    if not closing or "{" in middle or "," not in middle or head.endswith("$"):
        return [word]
    made = [Word(head + part + tail) for part in middle.split(",") if head + part + tail]
    return [part for each in made for part in _braces(each)]


def _echoed(words: Words) -> str:
    texts = [word.text for word in words[1:]]
    while texts and texts[0].startswith("-") and not texts[0].strip("-neE"):
        texts.pop(0)
    if name(words[0]) == "echo" or not texts:
        return " ".join(texts).replace("\\n", "\n")
    form, *values = texts
    if "%" not in form:
        return _unescaped_ansi(form)
    if not values:
        return _unescaped_ansi(form)
    printed = []
    while values:
        line = form
        while "%s" in line or "%b" in line or "%q" in line:
            place = min(at for at in map(line.find, ("%s", "%b", "%q")) if at >= 0)
            line = line[:place] + (values.pop(0) if values else "") + line[place + 2 :]
        printed.append(line)
        if line == form:
            break
    return _unescaped_ansi("".join(printed))
