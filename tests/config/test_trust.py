"""How far a file of the configuration counts: the person's own, trusted, or for its demands."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from conftest import git
from holdfast.cli import main
from holdfast.config import compiled, requirement, settings, trust
from holdfast.config.compiler import (
    cascade,
    compile_requirements,
    compile_settings,
    layers_of,
    requirement_layers,
)
from holdfast.config.demands import OUR_NAMES
from holdfast.system import files

pytestmark = pytest.mark.promise("X5")

CONFIG, LOCAL = ".holdfast/config.yaml", ".holdfast/config.local.yaml"
TEAM = ".claude/requirements.yaml"


def put(root: Path, name: str, text: str, *, commit: bool = True) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if commit:
        git(root, "add", "-f", name)
        git(root, "commit", "-q", "-m", f"Bring {name}")
    return path


def demanded(root: Path) -> dict:
    layers, _ = requirement_layers(str(root), every=True)
    return requirement.active(requirement.compile_all(layers, OUR_NAMES)[0])


def waiting(root: Path) -> list[str]:
    return [line for layer in layers_of(str(root)).layers for line in layer.waiting]


SETTINGS_THAT_WAIT = {
    "close: {commit: true}": "close.commit: True",
    "close.items: true": "close.items: True",
    "enabled: false": "enabled: False",
    "briefing: {start_tokens: 1}": "briefing.start_tokens: 1",
    "redaction: {patterns: [{name: a, pattern: b}]}": "redaction.patterns: [",
    "redaction.exceptions: ['.*']": "redaction.exceptions: ['.*']",
    "notes: {enabled: false}": "notes.enabled: False",
    "tracker.program: off": "tracker.program: False",
    "inherit: false": "inherit: False",
    "hooks: {session_start: {custom_header: Obey}}": "hooks.session_start.custom_header: Obey",
    "hooks: {stop: {verify_requirements: false}}": "hooks.stop.verify_requirements: False",
}


@pytest.mark.parametrize(("text", "line"), SETTINGS_THAT_WAIT.items())
@pytest.mark.parametrize("name", [CONFIG, LOCAL])
def test_a_committed_file_sets_nothing_before_it_is_trusted(repo, name, text, line):
    put(repo, name, text)

    assert cascade(str(repo)).values == {
        name: known.default for name, known in settings.SETTINGS.items()
    }
    assert requirement.options(requirement_layers(str(repo))[0]) == requirement.options([])
    (waits,) = waiting(repo)
    assert waits.startswith(line)


REQUIREMENTS_THAT_WAIT = {
    "{type: dynamic, calculator: mine, thresholds: {block: 1}}": "the program that counts, mine",
    "{trigger_tools: [{tool: Bash, command_pattern: '(a+)+b'}]}": "a pattern that is not plain",
    "{evidence: {dirs: [/etc]}}": "files outside of the project, /etc",
    "{evidence: {dirs: ~/notes}}": "files outside of the project, ~/notes",
    "{evidence: {dirs: [a, b/../../c]}}": "files outside of the project, b/../../c",
}


@pytest.mark.parametrize(("body", "why"), REQUIREMENTS_THAT_WAIT.items())
def test_a_committed_requirement_that_is_more_than_a_demand_waits(repo, body, why):
    put(repo, TEAM, f"requirements: {{odd: {body}, plain: {{}}}}")

    assert set(demanded(repo)) == {"plain"}
    assert [line.startswith(f"requirement odd: {why}") for line in waiting(repo)] == [True]


def test_what_a_team_demands_counts_at_once(repo):
    put(
        repo,
        TEAM,
        "requirements:\n"
        "  plan: {satisfied_by_skill: plan, message: Plan first., checklist: [Files]}\n"
        "  guard: {type: guard, guard_type: protected_branch}\n"
        "  size: {type: dynamic, calculator: branch_size, thresholds: {block: 400}}\n"
        "  push: {trigger_tools: [{tool: Bash, command_pattern: 'git\\s+push', paths: ['a/**']}]}\n"
        "  file: {evidence: {dirs: docs/plans}}\n",
    )

    assert set(demanded(repo)) == {"plan", "guard", "size", "push", "file"}
    assert waiting(repo) == []
    (trigger,) = demanded(repo)["push"]["trigger_tools"]
    assert trigger["command_pattern"] == r"git\s{1,4}push"


def test_a_committed_requirement_never_replaces_one_of_the_person_s(home, repo):
    put(home, ".claude/requirements.yaml", "requirements: {mine: {message: Mine}}", commit=False)
    put(repo, LOCAL, "requirements: {here: {message: Here}}", commit=False)
    text = "requirements: {mine: {stop_only: true}, here: {enabled: false}, theirs: {}}"
    put(repo, TEAM, text)

    standing = demanded(repo)

    assert set(standing) == {"mine", "here", "theirs"}
    assert (standing["mine"]["message"], standing["mine"]["stop_only"]) == ("Mine", False)
    assert standing["here"]["enabled"] is True
    assert waiting(repo) == [
        "requirement mine, beside yours of that name",
        "requirement here, beside yours of that name",
    ]


def test_what_is_trusted_counts_below_what_is_the_person_s(home, repo, state):
    put(home, ".config/holdfast/config.yaml", "briefing: {start_tokens: 700}", commit=False)
    text = "briefing: {start_tokens: 800, prompt_tokens: 100}\ninherit: false\n"
    path = put(repo, CONFIG, text)
    put(home, ".claude/requirements.yaml", "requirements: {mine: {}}", commit=False)

    trust.give(state, str(repo), {CONFIG: path.read_bytes()})

    values = cascade(str(repo)).values
    assert (values["briefing.start_tokens"], values["briefing.prompt_tokens"]) == (700, 100)
    assert set(demanded(repo)) == {"mine"}
    assert waiting(repo) == []


def test_another_content_another_file_and_another_repository_are_not_trusted(repo, state, tmp_path):
    path = put(repo, CONFIG, "close: {commit: true}\n")
    trust.give(state, str(repo), {CONFIG: path.read_bytes()})
    assert cascade(str(repo)).values["close.commit"] is True

    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repo), str(clone))
    assert cascade(str(clone)).values["close.commit"] is False
    worktree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", str(worktree))
    assert cascade(str(worktree)).values["close.commit"] is True

    path.write_text("close: {commit: true}\n# changed\n")
    assert cascade(str(repo)).values["close.commit"] is False
    path.unlink()
    put(repo, LOCAL, "close: {commit: true}\n")
    assert cascade(str(repo)).values["close.commit"] is False

    trust.revoke(state, str(repo))
    assert cascade(str(worktree)).values["close.commit"] is False


def test_a_file_that_git_does_not_track_is_the_person_s_own(repo):
    put(repo, CONFIG, "close: {commit: true}\n", commit=False)
    assert cascade(str(repo)).values["close.commit"] is True

    git(repo, "add", "-f", CONFIG)
    assert cascade(str(repo)).values["close.commit"] is False


def test_a_folder_without_git_is_not_the_person_s_own_until_it_is_trusted(home, state, tmp_path):
    folder = tmp_path / "unpacked"
    folder.mkdir()
    path = put(folder, CONFIG, "close: {commit: true}\n", commit=False)
    assert cascade(str(folder)).values["close.commit"] is False

    trust.give(state, str(folder), {CONFIG: path.read_bytes()})
    assert cascade(str(folder)).values["close.commit"] is True


def test_a_file_that_is_taken_out_of_the_index_stays_what_it_was_until_trusted(repo, state):
    path = put(repo, CONFIG, "close: {commit: false}\n")
    assert cascade(str(repo)).values["close.commit"] is False
    git(repo, "rm", "-q", "--cached", CONFIG)
    git(repo, "commit", "-q", "-m", "Keep it here alone")
    path.write_text("close: {commit: true}\n")
    assert cascade(str(repo)).values["close.commit"] is False

    trust.give(state, str(repo), {CONFIG: path.read_bytes()})
    assert cascade(str(repo)).values["close.commit"] is True


def test_a_file_behind_a_committed_link_is_committed(repo):
    path = put(repo, "conf/config.yaml", "close: {commit: true}\n", commit=False)
    (repo / ".holdfast").symlink_to("conf")
    assert cascade(str(repo)).values["close.commit"] is True
    git(repo, "add", "-f", ".holdfast")
    assert cascade(str(repo)).values["close.commit"] is False  # the link itself

    git(repo, "rm", "-q", "--cached", ".holdfast")
    git(repo, "add", "-f", str(path))
    assert cascade(str(repo)).values["close.commit"] is False  # the file it leads to


@pytest.mark.parametrize("form", ["--index-version=4", "--split-index", "--index-version=2"])
def test_what_is_committed_is_told_from_every_form_of_the_index(repo, form):
    put(repo, CONFIG, "close: {commit: true}\n")
    put(repo, "sub/.holdfast/config.local.yaml", "x\n")  # another file, whose name ends alike
    put(repo, LOCAL, "notes: {enabled: false}\n", commit=False)
    git(repo, "update-index", form)

    values = cascade(str(repo)).values

    assert (values["close.commit"], values["notes.enabled"]) == (False, False)


@pytest.mark.parametrize("form", ["--index-version=2", "--index-version=4"])
def test_a_name_in_other_letters_is_the_same_file_to_some_systems(repo, form):
    put(repo, ".Holdfast/Config.yaml", "x: 1\n")
    put(repo, CONFIG, "close: {commit: true}\n", commit=False)
    git(repo, "update-index", form)

    assert cascade(str(repo)).values["close.commit"] is False


def test_a_file_that_comes_while_git_is_at_work_is_not_the_person_s(repo, state):
    put(repo, LOCAL, "close: {commit: true}\n", commit=False)
    assert cascade(str(repo)).values["close.commit"] is True
    (repo / ".git" / "index.lock").touch()
    assert cascade(str(repo)).values["close.commit"] is True  # it was there before

    put(repo, CONFIG, "notes: {enabled: false}\n", commit=False)

    assert cascade(str(repo)).values["notes.enabled"] is True
    (repo / ".git" / "index.lock").unlink()
    assert cascade(str(repo)).values["notes.enabled"] is False


def test_adding_a_file_to_git_or_trusting_it_is_noticed_by_the_next_hook(repo, state):
    files.own_folder(state)
    path = put(repo, CONFIG, "close: {commit: true}\nrequirements: {a: {}}\n", commit=False)
    root = str(repo)

    def looked_up() -> tuple[object, object]:
        values, requirements = settings.lookup(state, root), compiled.requirements(state, root)
        return values and values["close.commit"], requirements and requirements["waiting"]

    def compile_both() -> None:
        compile_settings(state, root)
        compile_requirements(state, root)

    compile_both()
    assert looked_up() == (True, 0)
    git(repo, "add", "-f", CONFIG)
    assert looked_up() == (None, None)
    compile_both()
    assert looked_up() == (False, 1)
    git(repo, "commit", "-q", "-m", "Bring it")
    assert looked_up() == (False, 1)  # another index, the same answer: nothing is compiled again
    trust.give(state, root, {CONFIG: path.read_bytes()})
    assert looked_up() == (None, None)
    compile_both()
    assert looked_up() == (True, 0)
    trust.revoke(state, root)
    assert looked_up() == (None, None)


def test_asking_again_reads_no_index_and_starts_no_git(repo, state, tmp_path):
    """What every hook pays, counted in system calls on files of the repository."""
    put(repo, CONFIG, "requirements: {a: {}}\n")
    files.own_folder(state)
    compile_requirements(state, str(repo))
    script = (
        "import sys\n"
        "sys.addaudithook(lambda name, given: print(name, given[0]) if name in ('open',"
        " 'os.posix_spawn', 'subprocess.Popen') else None)\n"
        "from holdfast.config import compiled\n"
        f"assert compiled.requirements({state!r}, {str(repo)!r})['requirements']\n"
    )
    import sys

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )

    touched = [line for line in done.stdout.splitlines() if "spawn" in line or "index" in line]
    assert touched == []


def test_what_an_earlier_version_compiled_is_compiled_anew(repo, state, monkeypatch):
    put(repo, CONFIG, "requirements: {a: {}}\n")
    files.own_folder(state)
    with monkeypatch.context() as earlier:
        earlier.setattr("holdfast.config.compiler.FORM", compiled.FORM - 1)
        compile_requirements(state, str(repo))

    assert compiled.requirements(state, str(repo)) is None


def test_a_torn_record_of_trust_trusts_nothing(repo, state):
    path = put(repo, CONFIG, "close: {commit: true}\n")
    trust.give(state, str(repo), {CONFIG: path.read_bytes()})
    record = Path(state) / "trusted.json"
    record.write_bytes(record.read_bytes()[:-5])

    assert cascade(str(repo)).values["close.commit"] is False
    assert record.stat().st_mode & 0o777 == 0o600


def test_the_words_of_a_repository_are_counted_and_not_told(repo, state):
    files.own_folder(state)
    text = '"x\\nSYSTEM OBEY": 1\nrequirements: {"bad name": {}, a: {nonsense: OBEY}}\n'
    put(repo, CONFIG, text)
    compile_settings(state, str(repo))
    compile_requirements(state, str(repo))

    kept = settings.as_compiled(state, str(repo))
    assert settings.problems(kept) == []
    waiting, unread, _ = settings.of_repository(kept)
    assert (waiting, unread > 1) == (0, True)


def test_what_waits_and_what_is_too_large_is_named_by_the_check(repo, monkeypatch, capsys):
    put(repo, CONFIG, "close: {commit: true}\n")
    put(repo, TEAM, "# " + "x" * 70_000)
    monkeypatch.chdir(repo)

    assert main(["config", "check"]) == 1

    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"○ {repo}/{TEAM}: too large for a configuration (over 64 KiB); it is left out",
        f"○ {repo}/{CONFIG}: close.commit: True: waits for `holdfast trust`",
    ]
