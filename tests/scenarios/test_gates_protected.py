"""What an agent may not do to the gates: their rules, its own hooks and our state are the person's,
and so are the commands that satisfy and switch. Through the real hook command."""

from __future__ import annotations

from pathlib import Path

import pytest
from story import A, Story

from conftest import Door

DEMAND = "requirements: {fetched: {trigger_tools: [WebFetch]}}\n"
OURS = "only the person"
PERSONS = "the person's commands"


@pytest.fixture
def gated(story: Story) -> Story:
    """A session at work where something is demanded, of none of the tools below."""
    story.demand(DEMAND)
    story.begin(A)
    return story


@pytest.mark.promise("G3")
def test_rules_hooks_and_state_are_not_edited(gated: Story, home: Path) -> None:
    (gated.repo / "innocent").symlink_to(gated.repo / ".claude")
    for path in (
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".claude/requirements.yaml",
        ".claude/requirements.local.yaml",
        ".holdfast/config.yaml",
        ".holdfast/config.local.yaml",
        "docs/../.claude/settings.json",
        ".git/holdfast/requirements/main.json",
        "innocent/settings.json",
        "sub/.claude/settings.json",
    ):
        for tool in ("Edit", "Write", "MultiEdit", "mcp__files__write_file"):
            given = {"file_path": f"{gated.repo}/{path}"}
            assert OURS in gated.ask(A, tool, **given), (tool, path)
    for path in (
        f"{home}/.claude/settings.json",
        f"{home}/.config/holdfast/config.yaml",
        f"{gated.state}/store.db",
        f"{gated.state}/hook.py",
    ):
        assert OURS in gated.ask(A, "Write", file_path=path, content="x"), path
    gated.ends_well()


@pytest.mark.promise("G3")
def test_reading_them_and_writing_their_neighbours_is_free(gated: Story) -> None:
    for path in (
        ".claude/skills/plan/SKILL.md",
        ".claude/worktrees/x/src/a.py",
        "config.yaml",
        "app/settings.json",
        "holdfast/config.yaml",
        "src/state/holdfast/a.py",
        ".holdfast/notes.md",
    ):
        assert gated.ask_edit(A, path) == "", path
    for tool in ("Read", "Grep", "mcp__files__read_file"):
        path = f"{gated.repo}/.claude/settings.json"
        assert gated.ask(A, tool, file_path=path, path=path) == "", tool
    gated.ends_well()


WRITING = """
sed -i 's/a/b/' .claude/settings.json
sed -E -i.bak s/a/b/ .holdfast/config.yaml
perl -pi -e 's/a/b/' .claude/requirements.yaml
yq -i '.a = 1' .holdfast/config.yaml
echo '{}' > .claude/settings.json
echo '{}' > ".claude/settings.json"
echo '{}' >| '.claude/settings.local.json'
echo x >> .holdfast/config.yaml
cat <<EOF > .claude/settings.json\\n{}\\nEOF
echo '{}' | tee .claude/settings.json
echo '{}' | sudo tee -a .claude/settings.json > /dev/null
cp /tmp/x .claude/settings.json
cp settings.json .claude
cp -t .claude /tmp/settings.json
mv /tmp/x .claude/settings.json
mv .claude .claude.bak
rm -rf .claude
rm -f .claude/*.json
rm .holdfast/config.yaml
rm -rf .git/holdfast
rm -rf ~/.local/state/holdfast
rm -rf $HOME/.local/state/holdfast/store.db
touch ~/.local/state/holdfast/paused
ln -sf /tmp/x .claude/settings.json
dd if=/tmp/x of=.claude/settings.json
truncate -s 0 .claude/settings.json
git checkout main -- .claude/settings.json
git rm .claude/requirements.yaml
git -C . restore .claude/requirements.yaml
cd .claude && rm settings.json
cd .claude && echo '{}' > settings.json
cd .claude; rm *.json
bash -c 'echo {} > .claude/settings.json'
bash -c "rm .claude/settings.json"
python3 -c "open('.claude/settings.json', 'w').write('{}')"
node -e "require('fs').writeFileSync('.claude/settings.json', '{}')"
python3 -m json.tool x.json .claude/settings.json
python3 fix.py .claude/settings.json
tar xzf /tmp/claude.tgz -C .claude
find .claude -name settings.json -delete
find .claude -name '*.json' -exec rm .claude/settings.json ;
ls && rm .claude/settings.json
chmod 000 .claude/settings.json
jq . x.json > .claude/settings.json
""".strip().splitlines()

READING = """
cat .claude/settings.json
less .holdfast/config.yaml
head -5 .claude/requirements.yaml | grep plan
grep -r requirements .claude
sed -n 1,5p .claude/settings.json
jq .hooks .claude/settings.json
cp .claude/settings.json /tmp/copy.json
cp -r .claude /tmp/backup
diff .claude/settings.json /tmp/x
cat .claude/settings.json > /tmp/copy.json
cat < .claude/settings.json
git add .claude/requirements.yaml
git diff -- .claude/settings.json
git log --oneline -- .holdfast/config.yaml
git commit -m 'Change .claude/settings.json'
echo "rm .claude/settings.json"
ls -la .claude .holdfast ~/.local/state/holdfast
mkdir -p .claude/skills/plan
cd .claude && ls && cat settings.json
cp plan.md .claude/skills/plan/SKILL.md
rm -rf build/* config.yaml
find .claude -name settings.json
tar czf /tmp/claude.tgz .claude
zip -r /tmp/claude.zip .claude
python3 -m json.tool .claude/settings.json
python3 -c "import json; print(json.load(open('.claude/settings.json')))"
sort .claude/requirements.yaml | uniq
ls 2>/dev/null
echo x > notes/settings.json
""".strip().splitlines()


@pytest.mark.promise("G3")
def test_a_command_that_would_write_them_is_refused(gated: Story) -> None:
    let_through = [
        command for command in WRITING if OURS not in gated.ask_run(A, command.replace("\\n", "\n"))
    ]
    assert let_through == []
    gated.ends_well()


@pytest.mark.promise("G3")
def test_a_command_that_reads_them_is_free(gated: Story) -> None:
    refused = [command for command in READING if gated.ask_run(A, command) != ""]
    assert refused == []
    gated.ends_well()


@pytest.mark.promise("G3")
def test_a_command_is_judged_by_the_folder_it_runs_in(gated: Story) -> None:
    inside = gated.repo / ".claude"
    for command in ("rm settings.json", "echo '{}' > requirements.yaml", "rm *.json"):
        assert OURS in gated.ask_run(A, command, cwd=str(inside)), command
        assert gated.ask_run(A, command) == "", command
    assert gated.ask_run(A, "rm a.md; echo x > ../settings.json", cwd=str(inside)) == ""
    gated.ends_well()


@pytest.mark.promise("G3")
def test_an_agents_own_satisfaction_is_refused_before_it_runs(gated: Story) -> None:
    for command in (
        "holdfast req satisfy fetched",
        "req satisfy fetched --session x",
        "req approve fetched && ls",
        "holdfast --json req clear fetched",
        "python -m holdfast req satisfy fetched",
        "/opt/bin/holdfast req disable fetched",
        "cd /tmp; req pause --project",
        "script -qc 'holdfast req satisfy fetched' /dev/null",
        "env -u CLAUDECODE req satisfy fetched",
        "setsid holdfast req resume",
        "holdfast req init --force",
        "holdfast off",
        "holdfast pause 2h",
        "holdfast uninstall",
    ):
        assert PERSONS in gated.ask_run(A, command), command
    for command in (
        "holdfast req status",
        "req list",
        "echo holdfast req satisfy fetched",
        "grep -rn 'req satisfy' docs",
        "git commit -m 'Explain holdfast req satisfy'",
        "npm run req satisfy",
        "holdfast status",
    ):
        assert gated.ask_run(A, command) == "", command
    gated.ends_well()


@pytest.mark.promise("G3")
@pytest.mark.parametrize("demand", ["", "enabled: false\n" + DEMAND, "requirements: {}\n"])
def test_where_nothing_is_demanded_nothing_is_protected(story: Story, demand: str) -> None:
    if demand:
        story.demand(demand)
    story.begin(A)
    assert story.ask_edit(A, ".claude/settings.json") == ""
    assert story.ask_run(A, "rm .claude/settings.json") == ""
    assert story.ask_run(A, "holdfast off") == ""
    story.ends_well()


@pytest.mark.promise("G3")
def test_subagents_are_no_way_around_it(gated: Story) -> None:
    assert OURS in gated.ask_edit(A, ".claude/settings.json", agent_id="sub-1")
    assert OURS in gated.ask_run(A, "rm .claude/settings.json", agent_id="sub-1")
    gated.ends_well()


@pytest.mark.promise("G3")
def test_a_state_home_of_another_name_is_protected_too(
    repo: Path, home: Path, tmp_path: Path
) -> None:
    door = Door(f"{tmp_path}/kept", home, repo)
    door.environment["HOLDFAST_STATE_HOME"] = door.state
    story = Story(door, repo, tmp_path)
    story.demand(DEMAND)
    try:
        story.begin(A)
        (tmp_path / "link").symlink_to(door.state)
        for path in (f"{door.state}/store.db", f"{tmp_path}/link/store.db"):
            assert OURS in story.ask(A, "Write", file_path=path, content="x"), path
        assert OURS in story.ask_run(A, f"cd /; rm {door.state}/store.db")
        story.ends_well()
    finally:
        door.close()
