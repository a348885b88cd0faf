"""Named actions: what of a tool call counts, which trigger names it, and what nobody can read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from holdfast.config.requirement import compile_all
from holdfast.rooms.gates.actions import command_reading, reading
from holdfast.rooms.gates.actions.vocabulary import ACTIONS
from holdfast.rooms.gates.judgement import gating
from holdfast.rooms.gates.presets import PRESETS
from holdfast.rooms.gates.tool_call import Call
from measure import steps

DOCS = Path(__file__).parents[3] / "docs"


def failed(error: Exception) -> None:
    raise error


def gates(requirement: str, call: Call) -> bool:
    compiled, problems = compile_all(
        [("r.yaml", {"requirements": {"a": yaml.safe_load(requirement)}})]
    )
    assert problems == []
    return bool(gating(compiled, call, failed))


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/feature\n")
    (root / "docs" / "plans").mkdir(parents=True)
    (root / "a.py").write_text("old = 1\nkept = 2\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    return root


def command(text: str, root: Path) -> Call:
    return Call("Bash", "run", command=text, folder=str(root), root=str(root))


def tool(root: Path, name: str, deed: str, **given: Any) -> Call:
    path = given.get("file_path") or given.get("path") or ""
    where = path if path.startswith("/") else str(root / path) if path else ""
    return Call(name, deed, where=where, folder=str(root), root=str(root), input=given)


@pytest.mark.promise("G9")
@pytest.mark.parametrize(
    ("trigger", "text", "is_gated"),
    [
        ("push", "git push", True),
        ("push", "git pull", False),
        ("[push, commit]", "git commit -m x", True),
        ("{action: push, branch: main}", "git push origin main", True),
        ("{action: push, branch: main}", "git push origin dev", False),
        ("{action: push, branch: main}", "git push --all", True),
        ("{action: push, branch: main}", "git push", False),
        ("{action: push, branch: feature}", "git push", True),
        ("{action: push, branch: [main, 'release/*']}", "git push origin x:release/2", True),
        ("{action: push, branch: '!feature'}", "git push origin main", True),
        ("{action: push, branch: '!feature'}", "git push", False),
        ("{action: push, force: true}", "git push origin +main", True),
        ("{action: push, force: true}", "git push origin main", False),
        ("{action: push, force: false}", "git push -f", False),
        ("{action: push, remote: upstream}", "git push upstream", True),
        ("{action: commit, amend: true}", "git commit --am -m x", True),
        ("{action: commit, flags: --no-verify}", "git commit -nm x", True),
        ("{action: commit, message: '^wip'}", "git commit -m 'WIP: x'", True),
        ("{action: commit, message: '!^(feat|fix)'}", "git commit -m 'fix: x'", False),
        ("{action: commit, message: '!^(feat|fix)'}", "git commit -m 'x'", True),
        ("{action: commit, message: '!^(feat|fix)'}", "git commit --amend --no-edit", False),
        ("{action: add, path: 'docs/plans/**'}", "git add docs/plans/x.md", True),
        ("{action: add, path: docs/plans}", "git add docs/plans/x.md", True),
        ("{action: add, path: 'docs/plans/**'}", "git add docs", True),
        ("{action: add, path: 'docs/plans/**'}", "git add .", True),
        ("{action: add, path: 'docs/plans/**'}", "git add a.py", False),
        ("{action: edit_files, path: 'docs/**'}", "cd docs && echo x > a.md", True),
        ("{action: edit_files, path: 'docs/**'}", "echo x > a.md", False),
        ("edit_files", "pytest > /tmp/log", False),
        ("edit_files", "sed -i s/a/b/ a.py", True),
        ("{action: run, program: docker}", "sudo docker ps", True),
        ("{action: run, program: docker}", "echo docker", False),
        ("{action: run, program: npm run build}", "npm run build --fast", True),
        ("{action: run, program: npm run build}", "npm run lint", False),
        ("{action: run, program: pip, instead: uv}", "pip list", True),
        ("{action: run, program: gh api, flag: '!--paginate'}", "gh api repos/a/b/issues", True),
        ("{action: run, program: gh api, flag: '!--paginate'}", "gh api --paginate x", False),
        ("{action: write, pattern: TODO}", "echo '# TODO' >> a.py", True),
        ("{action: write, pattern: TODO}", "echo '# done' >> a.py", False),
        ("{action: remote, host: '*.example.com'}", "ssh me@a.example.com ls", True),
        ("{action: pull_request, create: true, draft: false}", "gh pr create -d", False),
        ("{action: switch_branch, to: main}", "git switch main", True),
    ],
)  # fmt: skip
def test_a_trigger_names_an_action_with_its_arguments(trigger, text, is_gated, project):
    assert gates(f"{{trigger: {trigger}}}", command(text, project)) is is_gated


@pytest.mark.promise("G9")
@pytest.mark.parametrize(
    ("trigger", "call", "is_gated"),
    [
        ("edit_files", ("Edit", "edit", {"file_path": "a.py", "old_string": "a"}), True),
        ("edit_files", ("mcp__fs__write_file", "other", {"path": "a.py", "content": "x"}), True),
        ("edit_files", ("mcp__fs__read_file", "other", {"path": "a.py"}), False),
        ("{action: edit_files, path: 'x/**'}", ("Edit", "edit", {"file_path": "a.py"}), False),
        ("{action: write, pattern: new}",
         ("Edit", "edit", {"file_path": "a.py", "old_string": "old", "new_string": "new"}), True),
        ("{action: write, pattern: old}",
         ("Edit", "edit", {"file_path": "a.py", "old_string": "old", "new_string": "new"}), False),
        ("{action: write, pattern: kept}",
         ("Write", "create", {"file_path": "a.py", "content": "kept = 2\nx\n"}), False),
        ("{action: write, pattern: 'x'}",
         ("Write", "create", {"file_path": "a.py", "content": "kept = 2\nx\n"}), True),
        ("{action: subagent, model: '*haiku*'}", ("Agent", "delegate", {"model": "haiku"}), True),
        ("{action: subagent, model: '!opus'}", ("Agent", "delegate", {"model": "haiku"}), True),
        ("{action: skill, name: plan}", ("Skill", "skill", {"skill": "plan"}), True),
        ("{action: pull_request, create: true}",
         ("mcp__github__create_pull_request", "other", {"base": "main", "draft": True}), True),
        ("drop_database_object", ("mcp__db__query", "other", {"sql": "drop table x"}), True),
        ("push", ("Edit", "edit", {"file_path": "push.sh"}), False),
    ],
)  # fmt: skip
def test_other_tools_have_actions_too(trigger, call, is_gated, project):
    name, deed, given = call

    assert gates(f"{{trigger: {trigger}}}", tool(project, name, deed, **given)) is is_gated


@pytest.mark.promise("G9")
@pytest.mark.parametrize(("opaque", "is_gated"), [("allow", False), ("ask", True), ("deny", True)])
@pytest.mark.parametrize("text", ['git "$(cat verb)" main', "curl x | sh", "eval $A", "git push '"])
def test_what_nobody_can_read_passes_unless_the_requirement_says_otherwise(
    opaque, is_gated, text, project
):
    call = command(text, project)

    assert gates(f"{{trigger: push, opaque: {opaque}}}", call) is is_gated
    assert call.unseen == ({"a"} if is_gated else frozenset())


@pytest.mark.promise("G9")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("git push origin main", {"protected_push"}),
        ("git push -f origin HEAD:main", {"protected_push"}),
        ("X=push; git $X origin main", {"protected_push"}),
        ("git push origin feature", set()),
        ("git commit -am x", {"pre_commit_review"}),
        ("gh pr create --draft", {"pre_pr_review"}),
        ("gh pr view 3", set()),
        ("git status && ls", set()),
    ],
)
def test_the_strict_preset_stands_in_front_of_what_it_names(text, names, project):
    compiled, _ = compile_all([("strict", yaml.safe_load(PRESETS["strict"]))])

    asked = gating(compiled, command(text, project), failed)

    assert {name for name in asked if not asked[name]["stop_only"]} == names


SPELLED = {name: [each.rstrip("?~") for each in given] for name, given in ACTIONS.items()}


@pytest.mark.promise("G9")
def test_the_pages_have_each_action_with_its_arguments():
    page = (DOCS / "internals" / "actions.md").read_text(encoding="utf-8")
    table = page.partition("## Vocabulary")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line[:3] == "| `"]
    listed = [
        f"`{name}` ({', '.join(given)})" if given else f"`{name}`"
        for name, given in SPELLED.items()
    ]

    assert {
        name.strip(" `"): [each.strip(" `") for each in given.split(",") if each.strip()]
        for name, given in rows
    } == SPELLED
    short = (DOCS / "reference" / "actions.md").read_text(encoding="utf-8")
    assert f"The actions: {', '.join(listed)}." in " ".join(short.split())


LONG = {
    "many commands": "git push origin main; " * 450,
    "a long word": f"git push origin {'x' * 10_000}",
    "nested shells": "bash -c " * 1_000 + "x",
    "variables": "".join(f"A{at}=$A{at - 1}x; " for at in range(700)) + "git $A699",
    "functions": "f() { g; g; }; g() { h; h; }; h() { f; f; }; f;" + "f;" * 3_000,
    "loops": "for a in 1 2 3 4 5 6 7 8; do " * 10 + "git push;" + " done;" * 10,
    "braces": "git {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}" * 100,
    "doubling": "".join(f"A{at}=$A{at - 1}$A{at - 1}; " for at in range(500)) + "$A499",
    "doubling again": "A=xxxx; " + "A=$A$A; " * 1_000 + "$A",
    "a program": "python3 -c \"" + "os.system(" * 1_000 + "\"",
    "aliases": "".join(f"alias a{at}='a{at + 1} a{at + 1}'\n" for at in range(300)) + "a0",
}  # fmt: skip


@pytest.mark.promise("G9")
@pytest.mark.parametrize("sort", LONG)
def test_a_command_of_ten_thousand_characters_takes_bounded_steps(sort, project):
    text = LONG[sort][:10_000]

    assert steps(lambda: command_reading.in_command(text, str(project))) < 1_000_000


CORPUS = DOCS.parent / "tests" / "corpus" / "actions.jsonl"


@pytest.mark.promise("G9")
def test_what_plainly_only_looks_has_no_action_and_nothing_opaque():
    rows = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    looking = [row for row in rows if reading.only_looks(row["command"])]

    assert len(looking) >= 20
    assert not [row for row in looking if row["opaque"]]
    assert {action["name"] for row in looking for action in row["actions"]} <= {"run"}


def test_a_call_that_names_no_action_has_none(project):
    assert reading.of_call(tool(project, "Read", "read", file_path="a.py")).actions == []
