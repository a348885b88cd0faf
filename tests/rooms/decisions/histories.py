"""A made-up history of a repository, and what became of every line of it.

Every line has an identity that its text has not: lines are inserted (also ones that are nearly the
same), changed, deleted, set in, broken over several lines and joined again, quoted otherwise;
functions are moved, copied and deleted; files are renamed, split, indented otherwise, and given
other line ends.
So it is known by construction where a quote is after each commit, or that it is gone. One blank
line is another: they have no identity, and come and go with the layout.

    grounded   the very lines, word for word, at the same place of the same file
    moved      the very lines, elsewhere in their file (renamed or not), or in another layout
    broken     one of them was changed or deleted, another line came between, or they left the file

A copy of lines that were deleted counts for them only where it stands at their very place.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

NAMES = (
    "token client retry session limit cursor window budget header parser queue worker field record"
    " schema branch ledger entry handle offset region policy vendor invoice"
).split()
VERBS = "load store fetch parse check merge build apply count select render settle".split()
COMMON = {
    "py": ["return None", "pass", "continue", "break", "return False", "else:", "try:", "return"],
    "go": ["}", "return nil", "break", "continue", "return err", "} else {", "return false"],
}
INDENT = "    "


@dataclass
class Line:
    """A line as it lies there, and which lines it once was."""

    text: str
    owners: tuple[int, ...]
    copied: tuple[int, ...] = ()  # the lines it is a copy of


@dataclass
class Function:
    lines: list[Line]


@dataclass
class File:
    path: str
    functions: list[Function] = field(default_factory=list)
    ending: str = "\n"

    def lines(self) -> list[Line]:
        return [line for function in self.functions for line in function.lines]

    def content(self) -> str:
        return "".join(f"{line.text}{self.ending}" for line in self.lines())


@dataclass
class Cited:
    """A quote, and the identities of its lines; a blank one has none."""

    file: File
    path: str
    line: int
    texts: list[str]
    owners: tuple[int, ...]


@dataclass(frozen=True)
class Truth:
    name: str
    path: str = ""
    line: int = 0


class History:
    """Files that change by one act after another."""

    def __init__(self, seed: int, *, files: int = 8, functions: int = 7) -> None:
        self._random = random.Random(seed)
        self._next = 0
        self.files = [self._file(number, functions) for number in range(files)]
        self._renamed = 0
        self._aim: set[int] = set()  # lines that are changed and deleted more often than others

    # What is there

    def cite(self) -> Cited:
        """Some lines that say something: mostly one, now and then a short common one."""
        pick = self._random
        while True:
            file = pick.choice(self.files)
            lines = file.lines()
            size = pick.choice((1, 1, 1, 1, 2, 3, 5))
            at = pick.randrange(max(1, len(lines) - size))
            taken = lines[at : at + size]
            owners = [owner for line in taken for owner in line.owners]
            if (
                all(taken[end].text.strip() for end in (0, -1))
                and len(set(owners)) == len(owners) == size
                and self._is_whole(lines, at, size)
            ):
                told = tuple(owner for line in taken if line.text.strip() for owner in line.owners)
                return Cited(file, file.path, at + 1, [line.text for line in taken], told)

    @staticmethod
    def _is_whole(lines: list[Line], at: int, size: int) -> bool:
        """Whether no line of another layout is cut through."""
        owners = {owner for line in lines[at : at + size] for owner in line.owners}
        return not any(owners & set(line.owners) for line in (*lines[:at], *lines[at + size :]))

    def truth(self, cited: Cited) -> Truth:
        if cited.file not in self.files:
            return Truth("broken")
        lines = cited.file.lines()
        places = [at for at, line in enumerate(lines) if set(line.owners) & set(cited.owners)]
        block = lines[places[0] : places[-1] + 1] if places else []
        said = [line for line in block if line.text.strip()]
        if tuple(dict.fromkeys(owner for line in said for owner in line.owners)) != cited.owners:
            there = lines[cited.line - 1 : cited.line - 1 + len(cited.texts)]
            copied = [owner for line in there if line.text.strip() for owner in line.copied]
            is_read = [line.text for line in there] == cited.texts
            if tuple(copied) == cited.owners and is_read and cited.file.path == cited.path:
                return Truth("grounded", cited.path, cited.line)
            return Truth("broken")
        is_same = [line.text for line in block] == cited.texts
        is_there = (cited.file.path, places[0] + 1) == (cited.path, cited.line)
        name = "grounded" if is_same and is_there else "moved"
        return Truth(name, cited.file.path, places[0] + 1)

    # What happens

    def step(self, near: list[Cited]) -> set[str]:
        """One commit of one to three acts; the paths that it touched, old and new."""
        touched: set[str] = set()
        self._aim = {owner for one in near for owner in one.owners}
        for _ in range(self._random.choice((1, 1, 2, 3))):
            live = [one.file for one in near if one.file in self.files]
            is_aimed = live and self._random.random() < 0.8
            file = self._random.choice(live if is_aimed else self.files)
            touched.add(file.path)
            act = self._random.choices([one for one, _ in ACTS], [many for _, many in ACTS])[0]
            act(self, file)
            touched.add(file.path)
        return touched

    def _insert(self, file: File) -> None:
        function = self._random.choice(file.functions)
        at = self._random.randint(1, len(function.lines))
        depth = self._depth(function.lines[at - 1])
        many = self._random.randint(1, 4)
        function.lines[at:at] = [self._statement(file, depth) for _ in range(many)]

    def _insert_above(self, file: File) -> None:
        file.functions[0].lines[0:0] = [self._line(self._imported(file)) for _ in range(2)]

    def _change(self, file: File) -> None:
        """A number, a name or an operator of a line becomes another."""
        function, at = self._somewhere(file)
        self._forget_layout(function, at)
        line = function.lines[at]
        text = line.text
        for old, new in (
            *((f" {digit}", f" {digit + 1}") for digit in range(1, 9)),
            *(("==", "!="), ("+=", "-="), ("True", "False"), ("nil", "err"), (" < ", " <= ")),
            *((name, f"{name}_id") for name in NAMES),
        ):
            if old in text:
                line.text = text.replace(old, new, 1)
                break
        else:
            line.text = f"{text}  # {self._name()}" if text.strip() else text
        if line.text != text:
            line.owners = (self._identity(),)

    def _delete(self, file: File) -> None:
        function, at = self._somewhere(file)
        if len(function.lines) > 3:
            self._forget_layout(function, at)
            del function.lines[at]

    def _delete_function(self, file: File) -> None:
        if len(file.functions) > 3:
            file.functions.remove(self._random.choice(file.functions))

    def _set_in(self, file: File) -> None:
        """A body goes one level deeper, under a new line."""
        function = self._random.choice(file.functions)
        if len(function.lines) < 4:
            return
        depth = self._depth(function.lines[1])
        for line in function.lines[1:]:
            if line.text.strip():
                line.text = INDENT + line.text
        name = self._name()
        guard = f"if {name}:" if file.path.endswith("py") else f"if {name} {{"
        function.lines.insert(1, self._line(INDENT * depth + guard))

    def _spread(self, file: File) -> None:
        """A call is broken over several lines, as a formatter does."""
        function = self._random.choice(file.functions)
        for at, line in enumerate(function.lines):
            head, bracket, rest = line.text.partition("(")
            if not (bracket and rest.endswith(")") and "," in rest and "(" not in rest):
                continue
            depth = line.text[: len(line.text) - len(line.text.lstrip())]
            given = rest[:-1].split(", ")
            comma = self._random.choice(("", ","))
            texts = [f"{head}(", *(f"{depth}{INDENT}{one}," for one in given[:-1])]
            texts += [f"{depth}{INDENT}{given[-1]}{comma}", f"{depth})"]
            function.lines[at : at + 1] = [Line(text, line.owners) for text in texts]
            return

    def _join(self, file: File) -> None:
        """And together again."""
        for function in file.functions:
            for at, line in enumerate(function.lines):
                size = 1
                while at + size < len(function.lines) and (
                    function.lines[at + size].owners == line.owners
                ):
                    size += 1
                if size > 2:
                    block = function.lines[at : at + size]
                    inner = " ".join(one.text.strip() for one in block[1:-1]).rstrip(",")
                    function.lines[at : at + size] = [
                        Line(f"{block[0].text}{inner}{block[-1].text.strip()}", line.owners)
                    ]
                    return

    def _rename(self, file: File) -> None:
        folder, _, name = file.path.rpartition("/")
        stem, _, suffix = name.partition(".")
        self._renamed += 1
        stem = stem.rstrip("0123456789")
        folder = self._random.choice((folder, f"src/{self._name()}"))
        file.path = f"{folder}/{stem}{100 + self._renamed}.{suffix}"

    def _rename_and_change(self, file: File) -> None:
        self._rename(file)
        self._insert(file)

    def _move_function(self, file: File) -> None:
        function = self._random.choice(file.functions[1:])
        file.functions.remove(function)
        file.functions.insert(self._random.randint(1, len(file.functions)), function)

    def _move_away(self, file: File) -> None:
        other = self._random.choice(self.files)
        if other is not file and len(file.functions) > 3:
            function = self._random.choice(file.functions[1:])
            file.functions.remove(function)
            for line in function.lines:
                line.owners = (self._identity(),)
            other.functions.append(function)

    def _copy_function(self, file: File) -> None:
        """The same body under another name, the next thing in the file."""
        at = self._random.randrange(1, len(file.functions))
        copied = [
            Line(line.text, (self._identity(),), line.copied or line.owners)
            for line in file.functions[at].lines
        ]
        for line in copied:
            if line.text.startswith(("def ", "func ")):
                line.text = line.text.replace("(", f"_{self._random.randrange(100)}(", 1)
                line.copied = ()
        file.functions.insert(at + 1, Function(copied))

    def _twin(self, file: File) -> None:
        """A line that says nearly the same, beside it."""
        function, at = self._somewhere(file)
        text = function.lines[at].text
        digits = [sign for sign in text if sign.isdigit()]
        if digits and self._is_whole(function.lines, at, 1):
            other = str((int(digits[0]) + 3) % 10)
            place = at + self._random.randint(0, 1)
            function.lines.insert(place, self._line(text.replace(digits[0], other, 1)))

    def _requote(self, file: File) -> None:
        """Literals in the other quotation marks, as a formatter does."""
        for line in file.lines():
            line.text = line.text.translate(str.maketrans("\"'", "'\""))

    def _indent(self, file: File) -> None:
        """The whole file by tabs, or by blanks again."""
        to, of = ("\t", INDENT) if self._random.random() < 0.5 else (INDENT, "\t")
        for line in file.lines():
            bare = line.text.lstrip()
            line.text = line.text[: len(line.text) - len(bare)].replace(of, to) + bare

    def _end_otherwise(self, file: File) -> None:
        file.ending = "\r\n" if file.ending == "\n" else "\n"

    def _split(self, file: File) -> None:
        """The second half becomes a file of its own."""
        if len(file.functions) > 6:
            half = len(file.functions) // 2
            self._renamed += 1
            stem, _, suffix = file.path.rpartition(".")
            other = File(f"{stem}_part{self._renamed}.{suffix}", file.functions[half:])
            for line in other.lines():
                line.owners = (self._identity(),)
            del file.functions[half:]
            self.files.append(other)

    # Making

    def _file(self, number: int, functions: int) -> File:
        suffix = self._random.choice(("py", "py", "go"))
        file = File(f"src/{self._name()}{number}.{suffix}")
        file.functions.append(Function([self._line(self._imported(file)) for _ in range(4)]))
        for _ in range(functions):
            file.functions.append(self._function(file))
        return file

    def _function(self, file: File) -> Function:
        name = f"{self._random.choice(VERBS)}_{self._name()}_{self._random.randrange(1000)}"
        given = ", ".join(self._name() for _ in range(self._random.randint(1, 3)))
        is_python = file.path.endswith("py")
        head = f"def {name}({given}):" if is_python else f"func {name}({given}) {{"
        lines = [self._line(""), self._line(head)]
        lines += [self._statement(file, 1) for _ in range(self._random.randint(3, 12))]
        return Function(lines if is_python else [*lines, self._line("}")])

    def _statement(self, file: File, depth: int) -> Line:
        pick, suffix = self._random, file.path.rpartition(".")[2]
        a, b, c = self._name(), self._name(), self._name()
        number = pick.randint(1, 9)
        said = pick.choice(
            (
                pick.choice(COMMON[suffix]),
                f"{a} = {pick.choice(VERBS)}_{b}({c}, {number}, {b})",
                f"{a} = {pick.choice(VERBS)}({b}, {c})",
                f"{a}.{b} += {number}",
                f"if {a}.{b} == {number}" + (":" if suffix == "py" else " {"),
                f"log({a}, {b}, {c})",
                f"{a} = {b} if {c} < {number} else True",
                f'raise_error("{a} has no {b}", {number})',
                "",
            )
        )
        return self._line(INDENT * max(1, depth) + said if said else "")

    def _imported(self, file: File) -> str:
        mark = "#" if file.path.endswith("py") else "//"
        said = f"import {self._name()}_{self._random.choice(VERBS)}"
        return self._random.choice((said, f"{mark} {self._name()} of the {self._name()}"))

    def _somewhere(self, file: File) -> tuple[Function, int]:
        every = [(one, at) for one in file.functions for at in range(len(one.lines))]
        aimed = [(one, at) for one, at in every if set(one.lines[at].owners) & self._aim]
        return self._random.choice(aimed if aimed and self._random.random() < 0.6 else every)

    def _forget_layout(self, function: Function, at: int) -> None:
        """Lines that were one, of which one is about to change: they are no longer that one."""
        owners = function.lines[at].owners
        alike = [line for line in function.lines if line.owners == owners]
        for line in alike if len(alike) > 1 else ():
            line.owners = (self._identity(),)

    def _line(self, text: str) -> Line:
        return Line(text, (self._identity(),))

    def _identity(self) -> int:
        self._next += 1
        return self._next

    def _name(self) -> str:
        return self._random.choice(NAMES)

    @staticmethod
    def _depth(line: Line) -> int:
        return (len(line.text) - len(line.text.lstrip())) // len(INDENT)


ACTS: list[tuple[Callable[[History, File], None], int]] = [
    (History._insert, 24),
    (History._insert_above, 10),
    (History._change, 22),
    (History._delete, 12),
    (History._delete_function, 4),
    (History._set_in, 6),
    (History._spread, 8),
    (History._join, 4),
    (History._rename, 5),
    (History._rename_and_change, 4),
    (History._move_function, 8),
    (History._move_away, 3),
    (History._copy_function, 4),
    (History._twin, 4),
    (History._requote, 2),
    (History._indent, 2),
    (History._end_otherwise, 1),
    (History._split, 1),
]
