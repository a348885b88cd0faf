"""What a program's text in another language has run, as far as it stands there in letters.

`os.system('git push')`, `subprocess.run(['git', 'push'])`, `execSync("git push")`: a call by one of
these names with a text or a list of texts. What is put together at run time is not seen, and the
call is told as such.
"""

from __future__ import annotations

# A call by one of these names runs a text in a shell, or a program with its words.
RUNNERS = (
    *("os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_call"),
    *("subprocess.check_output", "subprocess.Popen", "subprocess.getoutput", "os.execvp"),
    *("subprocess.getstatusoutput", "check_call", "check_output", "Popen", "execSync"),
    *("execFileSync", "spawnSync", "spawn", "execFile", "exec", "system", "shell_exec", "passthru"),
    *("run", "call", "execaSync", "execa", "IO.popen"),
)
REMOVERS = ("rmtree", "rm_rf", "rmSync", "rmdirSync", "remove_tree", "removeSync", "rm_r")
WRITERS = ("open", "writeFileSync", "appendFileSync", "writeFile", "appendFile")
# Names that are common elsewhere too: they count where the text speaks of children at all.
COMMON = frozenset({"run", "call", "exec", "spawn", "system"})
HINTS = (
    *("subprocess", "child_process", "os.", "system", "exec", "popen", "spawn"),
    *REMOVERS,
    *WRITERS,
)
CAP = 20_000
QUOTES, BLANKS = "'\"`", " \n\t"


class Child:
    """One call: a text for a shell, or words; neither where it cannot be told."""

    def __init__(self, text: str = "", words: list[str] | None = None, shown: str = "") -> None:
        self.text = text
        self.words = words
        self.shown = shown  # of a call that cannot be told


def children(program: str) -> list[Child]:
    """The calls in a program's text, in their order; what it writes and removes as the commands
    that would do the same."""
    program = program[:CAP]
    if not any(hint in program for hint in HINTS):
        return []
    made, at = [], program.find("(")
    while at >= 0:
        start = at
        while start and (program[start - 1].isalnum() or program[start - 1] in "_."):
            start -= 1
        name = program[start:at].lstrip(".")
        made += _by_name(program, at + 1, name)
        at = program.find("(", at + 1)
    return made


def _by_name(program: str, at: int, name: str) -> list[Child]:
    last = name.rpartition(".")[2]
    texts = _literals(program, at)[0] if last in (*REMOVERS, *WRITERS) else []
    if last in REMOVERS:
        return [Child(words=["rm", "-r", *texts[:1]])]
    if texts and last in WRITERS and (last != "open" or "".join(texts[1:2])[:1] in ("w", "a", "x")):
        return [Child(words=["tee", texts[0]])]
    if name in RUNNERS or (last in RUNNERS and last not in COMMON):
        return [_child(program, at, name)]
    is_common = last in COMMON and ("subprocess" in program or "child_process" in program)
    child = _child(program, at, name) if is_common else Child()
    return [child] if child.text or child.words else []


def _child(program: str, at: int, name: str) -> Child:
    while program[at : at + 1] in BLANKS and at < len(program):
        at += 1
    shown = f"{name}({program[at : at + 40]}"
    is_list = program[at : at + 1] == "["
    at += is_list
    is_formed = program[at : at + 2] in ("f'", 'f"')
    texts, end, is_whole = _literals(program, at + is_formed)
    if texts and program[end : end + 1] == "[":  # spawn('git', ['push'])
        more, end, is_whole = _literals(program, end + 1)
        texts, is_list = [*texts, *more], True
    if is_list and program[end : end + 1] != "]":
        is_whole = False
    if not texts or not is_whole or (is_formed and "{" in texts[0]):
        return Child(shown=shown)
    return Child(words=texts) if is_list or len(texts) > 1 else Child(text=texts[0])


def _literals(program: str, at: int) -> tuple[list[str], int, bool]:
    """The texts in quotes from a place on, with commas between them; where they end, and whether
    nothing is done to them."""
    texts: list[str] = []
    while True:
        while at < len(program) and program[at] in f"{BLANKS},":
            at += 1
        quote = program[at : at + 1]
        end = program.find(quote, at + 1) if quote and quote in QUOTES else -1
        while end > 0 and program[end - 1] == "\\":
            end = program.find(quote, end + 1)
        text = program[at + 1 : end].replace("\\", "")
        if end < 0 or (quote == "`" and "${" in text):
            return texts, at, end < 0 and (bool(texts) or not quote)
        texts.append(text)
        at = end + 1
        if program[at : at + 20].lstrip()[:1] in ("+", "%", "."):
            return texts, at, False
