"""Programs that run other programs: `sudo git push`, `bash -c '...'`, `find -exec`, `npx`.

What they run is either words, as they stand, or a text that a shell reads. Flags differ between
versions; a flag that takes a value and is not listed makes that value look like the program.
"""

from __future__ import annotations

from holdfast.shell.program import Word, after_flags, name, normalised, takes_next

SHELLS = frozenset("bash sh zsh dash ksh ash fish rbash mksh".split())
INTERPRETERS = {
    "python": "-W -X -c --check-hash-based-pycs",
    "python3": "-W -X -c --check-hash-based-pycs",
    "pypy3": "-W -X -c",
    "node": "-r --require -e --eval -p --print --import --loader --env-file -C --conditions",
    "ruby": "-e -I -r -C",
    "perl": "-e -E -I -M",
    "php": "-r -d -c",
    "tsx": "--tsconfig",
    "ts-node": "-P --project",
    "source": "",
    ".": "",
}


class Way:
    """How a program is told what to run."""

    def __init__(
        self,
        valued: str = "",
        *,
        operands: int = 0,
        kind: str = "words",
        texts: str = "",
        after: str = "",
        assigns: bool = False,
    ) -> None:
        self.valued = frozenset(f"{valued} {texts}".split())
        self.operands = operands  # words of its own before the command
        self.kind = kind  # the rest is: words, one text, many texts, a first text, or nothing
        self.texts = frozenset(texts.split())  # flags whose value a shell reads
        self.after = frozenset(after.split())  # the command begins after one of these only
        self.assigns = assigns  # NAME=value may stand before the command


def _each(programs: str, way: Way) -> dict[str, Way]:
    """The same way for several programs."""
    return dict.fromkeys(programs.split(", "), way)


DOCKER = (
    "-v --volume -e --env -w --workdir -u --user --name -p --publish --network --net --entrypoint"
    " --env-file --mount -h --hostname -l --label --platform --cpus -m --memory --gpus --add-host"
    " --cap-add --cap-drop --device --dns --restart --shm-size --ulimit --tmpfs --pull --ipc --pid"
    " --security-opt --detach-keys --index --scale --volumes-from --link --log-driver --userns"
)
UV = (
    "--with --with-requirements --with-editable --extra --group --only-group --env-file -p --python"
    " --from --package --index --index-url --default-index --directory --project -i"
    " --refresh-package"
)
PARALLEL = "-j --jobs -a --arg-file -S --sshlogin -I --delay --timeout --results --joblog -C -N -n"
WAYS: dict[str, Way] = {
    **_each(
        "nohup, setsid, ssh-agent, unbuffer, valgrind, firejail, busybox, toybox, winpty, command, "
        "builtin, noglob, nocorrect, entr, pnpm exec, yarn exec, yarn run, bun x, bun run, "
        "poetry run, pipenv run, hatch run, rye run, bundle exec, asdf exec, rbenv exec, "
        "pyenv exec, nodenv exec, dotenv run, git bisect run, with-contenv, dumb-init",
        Way(),
    ),
    **_each("timeout, gtimeout", Way("-k -s --kill-after --signal", operands=1)),
    **_each("proxychains, proxychains4", Way("-f")),
    **_each("coproc, then, do, else, {, !, cross-env", Way(assigns=True)),
    **_each("eval, git submodule foreach", Way(kind="text")),
    **_each("cmd, at, batch", Way(kind="nothing")),
    **_each("powershell, pwsh", Way(kind="nothing", texts="-c -Command -command")),
    **_each("tmux new-session, tmux new", Way("-s -n -c -t -x -y -F -e", kind="text")),
    **_each("tmux new-window, tmux neww", Way("-n -c -t -F -e", kind="text")),
    **_each("tmux send-keys, tmux send", Way("-t -N", kind="text")),
    **_each(
        "docker exec, docker run, podman exec, podman run, docker container exec, "
        "docker container run, docker compose exec, docker compose run, docker-compose exec, "
        "docker-compose run",
        Way(DOCKER, operands=1),
    ),
    **_each(
        "kubectl exec, kubectl run, oc exec, mise exec, mise x, chamber exec, teller run, nix run",
        Way(after="--"),
    ),
    **_each("npx, npm x", Way("-p --package", texts="-c --call")),
    **_each("bunx, yarn dlx", Way("-p --package")),
    **_each("deno run, devbox run", Way("-c --config")),
    **_each("uvx, uv run, uv tool run", Way(UV)),
    **_each("conda run, mamba run, micromamba run", Way("-n --name -p --prefix --cwd")),
    **_each("nvm exec, direnv exec, gosu, su-exec", Way(operands=1)),
    **_each("nix develop, nix shell", Way(after="-c --command")),
    "env": Way("-u --unset -C --chdir", texts="-S --split-string", assigns=True),
    "sudo": Way(
        "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --role --type"
        " --close-from --command-timeout --other-user --chroot",
        assigns=True,
    ),
    "doas": Way("-u -C -a"),
    "time": Way("-f -o --format --output", assigns=True),
    "gtime": Way("-f -o --format --output"),
    "nice": Way("-n --adjustment"),
    "ionice": Way("-c -n -p --class --classdata"),
    "chrt": Way("-T -P -D", operands=1),
    "taskset": Way("", operands=1),
    "stdbuf": Way("-i -o -e --input --output --error"),
    "chroot": Way("--userspec --groups", operands=1),
    "unshare": Way("-R -w -S -G --root --wd --setuid --setgid --map-user --map-group"),
    "nsenter": Way("-t --target -S -G --setuid --setgid"),
    "flock": Way("-w -E --timeout --wait --conflict-exit-code", operands=1, texts="-c --command"),
    "strace": Way("-e -o -p -s -u -E -P -a -b -I -O -S --trace --output"),
    "ltrace": Way("-e -o -p -s -u -l -n"),
    "gdb": Way("-x -ex", after="--args"),
    "perf stat": Way("-e -r -o"),
    "perf record": Way("-e -F -o -c"),
    "caffeinate": Way("-t -w"),
    "arch": Way("-e -d"),
    "torsocks": Way("-a -u -p -P"),
    "faketime": Way("-f", operands=1),
    "systemd-run": Way("-u -p -M -H -E --unit --property --setenv --uid --gid --working-directory"),
    "systemd-inhibit": Way("--what --who --why --mode"),
    "bwrap": Way("--setenv --chdir", after="--"),
    "fakeroot": Way("-l -s -i -u -b"),
    "dbus-run-session": Way("--config-file"),
    "xvfb-run": Way("-n -e -f -p -s -w --server-num --server-args"),
    "wsl": Way("-d -u --distribution --user --cd"),
    "exec": Way("-a"),
    "xargs": Way(
        "-I -n -P -L -d -a -E -s --replace --max-args --max-procs --max-lines --delimiter"
        " --arg-file --eof --max-chars --process-slot-var -J -R"
    ),
    "parallel": Way(PARALLEL, kind="text"),
    "watchexec": Way("-w -e -f -i -d -s --watch --exts --filter --ignore --signal", kind="text"),
    "watch": Way("-n -q --interval --equexit", kind="text"),
    "ssh": Way(
        "-b -B -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w", operands=1, kind="text"
    ),
    "autossh": Way("-M -D -F -i -J -L -l -o -p -R", operands=1, kind="text"),
    "mosh": Way("-p --port --ssh", operands=1),
    "sshpass": Way("-p -f -P"),
    "su": Way("-g -G -s -w", kind="nothing", texts="-c --command --session-command"),
    "runuser": Way("-u -g -G -s", texts="-c --command"),
    "script": Way("-O -I -B -T -o", kind="nothing", texts="-c --command"),
    "trap": Way(kind="first text"),
    "hyperfine": Way(
        "-w -r -m -M -N -p -c -s -n -S -L -P --warmup --runs --prepare --cleanup --setup --shell"
        " --export-json --export-markdown",
        kind="texts",
    ),
    "tmux split-window": Way("-c -t -l -p -F -e", kind="text"),
    "tmux run-shell": Way("-t -d", kind="text"),
    "screen": Way("-S -c -h -L -p -s -t -T"),
    "concurrently": Way("-n -c --names --prefix", kind="texts"),
    "start-stop-daemon": Way(after="--exec"),
    "gcloud compute ssh": Way(kind="nothing", texts="--command"),
    "vagrant ssh": Way(kind="nothing", texts="-c --command"),
    "gh codespace ssh": Way("-c", after="--"),
    "fly ssh console": Way(kind="nothing", texts="-C --command"),
    "heroku run": Way("-a --app -s --size", kind="text"),
    "pnpx": Way("-p --package", texts="-c"),
    "npm exec": Way("-p --package -w --workspace", texts="-c --call"),
    "pnpm dlx": Way("--package"),
    "pnpm run": Way("--filter"),
    "pipx run": Way("--spec --python --pip-args --index-url"),
    "pdm run": Way("-p --project"),
    "hatch env run": Way("-e --env"),
    "pixi run": Way("-e --environment --manifest-path"),
    "fnm exec": Way("--using"),
    "volta run": Way("--node --npm --yarn"),
    "dotenv": Way("-f -e -c -v --file"),
    "dotenvx run": Way("-f --env-file -e", after="--"),
    "doppler run": Way("-p -c --project --config", texts="--command", after="--"),
    "op run": Way("--env-file --account", after="--"),
    "infisical run": Way("--env --path", after="--"),
    "aws-vault exec": Way("-d --duration", operands=1),
    "nix-shell": Way("-p --packages -I", kind="nothing", texts="--run --command"),
    "git rebase": Way("--onto -s -X --strategy", kind="nothing", texts="-x --exec"),
    "go run": Way("-C -tags -ldflags"),
    "cargo watch": Way("-w -d", kind="nothing", texts="-s --shell"),
    "nodemon": Way("-w --watch -e --ext", kind="nothing", texts="-x --exec"),
    "nyc": Way("-r --reporter -x --exclude -n --include -t --temp-dir --report-dir --cwd"),
    "c8": Way("-r --reporter -x --exclude -n --include -o --reports-dir --temp-directory --src"),
    "coverage run": Way("--source --omit --include --rcfile --data-file --context --concurrency"),
    "rlwrap": Way("-f -H -s"),
    "tini": Way("-e -p"),
    "setpriv": Way("--reuid --regid --groups"),
    "capsh": Way(kind="nothing", texts="-c"),
    "retry": Way("-t -d -m -x --times --delay"),
    "chpst": Way("-u -U -b -/ -e -n -l -L -P"),
    "prlimit": Way("-p"),
    "cgexec": Way("-g"),
    "numactl": Way("-m -N -C -i -l -p"),
    "trickle": Way("-d -u -w -t -l"),
    "pkexec": Way("--user"),
    "run0": Way("-u --user -g --group"),
}
# Their exit code does not say how the command ended that they run.
OWN_EXIT = frozenset(
    [
        *"xargs parallel entr watchexec watch trap coproc setsid systemd-run script gdb".split(),
        *"hyperfine cmd powershell pwsh screen concurrently start-stop-daemon mosh nodemon".split(),
        *"! then do else at batch".split(),
        *("tmux new-session", "tmux new", "tmux new-window", "tmux neww", "tmux split-window"),
        *("tmux send-keys", "tmux send", "tmux run-shell", "kubectl run", "heroku run"),
        *("fly ssh console", "git submodule foreach", "git bisect run", "git rebase"),
        "cargo watch",
    ]
)
PROGRAM_FLAGS = frozenset("-c -e -E -p -r --eval --print".split())
CONTAINERS = frozenset("docker podman docker-compose".split())
FIND = frozenset("-exec -execdir -ok -okdir".split())
FD = frozenset("-x -X --exec --exec-batch".split())


def inner(words: list[Word], stdin: str | None = None) -> tuple[list[list[Word]], list[str]]:
    """The commands that this one runs: as words, and as texts for a shell. An interpreter may have
    its program from `stdin`."""
    program = name(words[0])
    if program in SHELLS:
        return _by_shell(words)
    if program in INTERPRETERS or _is_numbered_python(program):
        is_bare = all(word.text == "-" for word in words[1:])
        return children(stdin, program) if stdin and is_bare else _by_interpreter(words, program)
    if program == "find":
        return _by_find(words, FIND), []
    if program in ("fd", "fdfind"):
        return _by_find(words, FD), []
    if program == "cmd":
        return [], [_joined(words[2:])] if len(words) > 2 else []
    if program == "command" and _only_asks(words):
        return [], []
    plain = normalised(words)
    heading = _heading(plain, program)
    return _by_way(plain, heading.count(" ") + 1, WAYS[heading]) if heading else ([], [])


def _heading(plain: list[Word], program: str) -> str:
    """Under which words of this command the table says how it is told what to run."""
    for length in (3, 2, 1):
        heading = " ".join([program, *(word.text for word in plain[1:length])])
        if heading in WAYS and len(plain) > length:
            return heading
    return ""


def passes_exit_on(words: list[Word]) -> bool:
    """Whether a command that runs another ends as that one does."""
    program = name(words[0])
    if program in SHELLS or program in INTERPRETERS or _is_numbered_python(program):
        return True
    plain = normalised(words)
    heading = _heading(plain, program)
    if not heading or heading in OWN_EXIT:
        return False
    length = heading.count(" ") + 1
    own = [word.text for word in plain[length : _start(plain, length, WAYS[heading])]]
    if "--help" in own or "--version" in own:
        return False
    return program not in CONTAINERS or not any(map(_detaches, own))


def _detaches(flag: str) -> bool:
    is_short = flag[:1] == "-" and flag[1:].isalpha()
    return flag in ("--detach", "--detach=true") or (is_short and "d" in flag)


def listens(words: list[Word]) -> bool:
    """It runs what it is given on its input: `bash <<EOF`, `ssh host <<EOF`."""
    program = name(words[0])
    texts = [word.text for word in words[1:]]
    if program in SHELLS:
        has_text, has_stdin, at = _shell_flags(words)
        if has_text:
            return False
        return has_stdin or at >= len(words) or words[at].text in ("-", "/dev/stdin")
    if program in ("source", "."):
        return texts[:1] in (["/dev/stdin"], ["-"])
    if program == "ssh":
        return after_flags(words, 1, WAYS["ssh"].valued) == len(words) - 1
    if program in ("sudo", "su", "doas"):
        return program == "su" or any(text in ("-s", "-i") for text in texts)
    return program in ("at", "batch")


def _by_shell(words: list[Word]) -> tuple[list[list[Word]], list[str]]:
    has_text, has_stdin, at = _shell_flags(words)
    if at >= len(words) or has_stdin:
        return [], []
    if has_text:
        return [], [words[at].text]
    return [words[at:]], []


def _shell_flags(words: list[Word]) -> tuple[bool, bool, int]:
    """Whether a text follows, whether the input is read, and where the operands begin."""
    has_text = has_stdin = False
    at = 1
    while at < len(words):
        text = words[at].text
        if text == "--":
            at += 1
            break
        if len(text) < 2 or text[0] not in "-+":
            break
        at += 1
        if text.startswith("--"):
            at += text in ("--rcfile", "--init-file")
            has_text = has_text or text == "--command"
            continue
        has_text = has_text or "c" in text
        has_stdin = has_stdin or "s" in text
        at += text[-1] in "oO"
    return has_text, has_stdin and not has_text, at


def _by_interpreter(words: list[Word], program: str) -> tuple[list[list[Word]], list[str]]:
    flags = INTERPRETERS.get(program, INTERPRETERS["python3"])
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        text = words[at].text
        if program.startswith(("python", "pypy")) and text == "-m":
            return ([words[at + 1 :]] if at + 1 < len(words) else []), []
        if text in ("-", "--"):
            return [], []
        if text in PROGRAM_FLAGS or _bundled(text) in PROGRAM_FLAGS:
            return children(words[at + 1].text, program) if at + 1 < len(words) else ([], [])
        at += 1 + takes_next(text, frozenset(flags.split()))
    return ([words[at:]] if at < len(words) else []), []


def children(text: str, program: str) -> tuple[list[list[Word]], list[str]]:
    """What the text of a program in another language runs, as far as it stands there."""
    from holdfast.shell import child_programs

    calls = child_programs.children(text)
    ticked = text.split("`")[1::2] if program in ("ruby", "perl", "php") else []
    direct = [[Word(text, is_quoted=True) for text in call.words] for call in calls if call.words]
    hidden = [[Word(call.shown, is_quoted=True, is_known=False)] for call in calls if call.shown]
    return [*direct, *hidden], [*ticked, *(call.text for call in calls if call.text)]


def _is_numbered_python(program: str) -> bool:
    return program.startswith("python") and program[6:].replace(".", "").isdigit()


def _by_find(words: list[Word], flags: frozenset[str]) -> list[list[Word]]:
    commands: list[list[Word]] = []
    at = 1
    while at < len(words):
        if words[at].text not in flags:
            at += 1
            continue
        end = at + 1
        while end < len(words) and words[end].text not in (";", "+"):
            end += 1
        if end > at + 1:
            commands.append(words[at + 1 : end])
        at = end
    return commands


def _only_asks(words: list[Word]) -> bool:
    """`command -v git` says where git is; it runs nothing."""
    flag = words[1].text if len(words) > 1 else ""
    return flag.startswith("-") and ("v" in flag or "V" in flag)


def _by_way(words: list[Word], at: int, way: Way) -> tuple[list[list[Word]], list[str]]:
    start = _start(words, at, way)
    rest = words[start:]
    # Past its start the flags are those of the command: `npx git -c a=b push`.
    texts = _flagged(words[at:] if way.kind == "nothing" else words[at:start], way.texts)
    if way.kind == "words" and rest and not texts:
        return [rest], texts
    if way.kind == "text" and rest:
        return [], [*texts, _joined(rest)]
    if way.kind == "texts":
        return [], [*texts, *(word.text for word in rest)]
    if way.kind == "first text" and len(rest) > 1:
        return [], [rest[0].text]
    return [], texts


def _start(words: list[Word], at: int, way: Way) -> int:
    """Where the command begins that is to be run."""
    if way.after:
        places = [place for place in range(at, len(words)) if words[place].text in way.after]
        return places[0] + 1 if places else len(words)
    for step in range(way.operands + 1):
        at = after_flags(words, at, way.valued) if at < len(words) else at
        at += step < way.operands
    while way.assigns and at < len(words) and _is_setting(words[at].text):
        at += 1
    # `coproc NAME { git push; }` and `time { ...`: the grammar takes the brace for a word.
    opening = [place for place in range(at, min(at + 2, len(words))) if words[place].text == "{"]
    return opening[0] + 1 if opening else at


def _flagged(words: list[Word], flags: frozenset[str]) -> list[str]:
    texts: list[str] = []
    for place, word in enumerate(words):
        flag, equals, value = word.text.partition("=")
        if flag in flags and equals and flag.startswith("--"):
            texts.append(value)
        elif (word.text in flags or _bundled(word.text) in flags) and place + 1 < len(words):
            texts.append(words[place + 1].text)
    return texts


def _bundled(text: str) -> str:
    """The last of several short flags in one word: `script -qc`."""
    is_bundle = len(text) > 2 and text[0] == "-" and text[1:].isalpha()
    return f"-{text[-1]}" if is_bundle else ""


def _joined(words: list[Word]) -> str:
    return " ".join(word.text for word in words)


def is_assignment(text: str) -> bool:
    head, equals, _ = text.partition("=")
    head = head.removesuffix("+").partition("[")[0]
    return bool(equals) and head.isidentifier() and head.isascii()


def _is_setting(text: str) -> bool:
    return text == "-" or is_assignment(text)  # `env - A=b git push`: with nothing but A
