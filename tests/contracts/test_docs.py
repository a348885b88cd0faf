"""The documents say what is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
import write_commands
from write_commands import functions

from holdfast.agents.claude_code import payloads
from holdfast.cli import COMMANDS, menu
from holdfast.cli.helpers.agent_tools import OFFERS
from holdfast.config.settings import SETTINGS
from holdfast.rooms.sessions import life

ROOT = Path(__file__).parents[2]


def text(name: str) -> str:
    return (ROOT / name).read_text()


def test_every_command_and_every_verb_has_a_section_and_every_section_is_one():
    written = {place: text(f"docs/{place}") for place in write_commands.pages()}

    page = "".join(written.values())
    sections = re.findall(r"^#{3,4} (holdfast.*)", page, re.MULTILINE)
    lines = [line for line, _ in functions()]
    groups = {line.rpartition(" ")[0] for line in lines if line.count(" ") == 2}
    assert sorted(sections) == sorted({*lines, *groups})
    again = "python docs/reference/write_commands.py"
    assert written == write_commands.pages(), f"write it again: {again}"


@pytest.mark.parametrize(("line", "given"), write_commands.EXAMPLES.items())
def test_the_example_of_a_command_is_no_misuse(line, given):
    context = click.Context(menu, info_name="holdfast")
    name, _, verb = line.partition(" ")
    command = menu.get_command(context, name)
    assert command is not None

    words = shlex.split(f"{verb} {given}")
    if isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    command.make_context(line, words, context)


def test_every_command_that_must_be_given_something_has_an_example():
    for line, command in commands_of():
        if any(parameter.required for parameter in command.params):
            assert line in write_commands.EXAMPLES


def commands_of() -> list[tuple[str, click.Command]]:
    """Every command that runs something, and every verb."""
    context = click.Context(menu, info_name="holdfast")
    listed: list[tuple[str, click.Command]] = []
    for name in COMMANDS:
        command = menu.get_command(context, name)
        assert command is not None
        verbs = command.commands if isinstance(command, click.Group) else {}
        listed += [(f"{name} {verb}", each) for verb, each in verbs.items()] or [(name, command)]
    return listed


def test_every_setting_is_in_the_documents_and_every_row_is_one():
    rows = re.findall(r"^\| `([a-z_0-9.]+)` \| `", text("docs/reference/settings.md"), re.MULTILINE)

    assert sorted(rows) == sorted(SETTINGS)


@pytest.mark.parametrize("event", payloads.HOOKS)
def test_every_installed_event_is_in_the_documents(event):
    assert event in text("docs/internals/events.md")


def test_the_drawing_of_a_sessions_life_is_the_table_itself():
    assert life.diagram() in text("docs/internals/architecture.md")


def test_every_variable_that_is_read_is_in_the_documents():
    read = set()
    for source in (ROOT / "src").rglob("*.py"):
        read |= set(re.findall(r"HOLDFAST_[A-Z_]+", source.read_text()))

    assert {name for name in read if f"`{name}`" not in text("docs/reference/settings.md")} == set()


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/**/*.md")))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/**/*.md")]
PAGES += [ROOT / "tests" / "corpus" / "README.md", ROOT / "tests" / "corpus" / "FORKS.md"]


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda page: page.stem)
def test_every_module_and_folder_that_a_page_names_is_there(page):
    tops = [ROOT / "src" / "holdfast", ROOT / "tests", ROOT / "benchmarks"]
    known = [f"/{path.relative_to(ROOT)}" for top in tops for path in (top, *top.rglob("*"))]
    named = re.findall(
        r"`([\w./-]+\.py|(?:src|tests|benchmarks|rooms|hook)/[\w./-]*)`", page.read_text()
    )

    assert [
        name for name in named if not any(path.endswith(f"/{name.rstrip('/')}") for path in known)
    ] == []


def test_a_word_of_the_product_has_one_meaning():
    words = re.findall(r"^\| (\*\*.+?) \|", text("docs/concepts.md"), re.MULTILINE)

    assert 40 < len(words) <= 60
    assert sorted(words) == sorted(set(words))


# What a reader can hold: the most words of all of these pages together.
MOST_WORDS = {
    "README.md docs/*.md docs/how-to/*.md docs/reference/*.md": 15_000,
    "docs/explanation/*.md": 8_000,
}


@pytest.mark.parametrize(("pages", "most"), MOST_WORDS.items(), ids=["use", "explanation"])
def test_what_a_user_reads_is_short(pages, most):
    words = [len(page.read_text().split()) for each in pages.split() for page in ROOT.glob(each)]

    assert len(words) >= 9
    assert sum(words) <= most


def test_the_page_for_agents_is_short():
    assert len(text("AGENTS.md").splitlines()) <= 80


def test_no_path_of_a_developers_machine_is_in_the_tree():
    for source in [*ROOT.glob("src/**/*"), *ROOT.glob("tests/**/*"), *ROOT.glob("docs/**/*")]:
        if source.is_file() and source.suffix in {".py", ".md", ".json", ".sql"}:
            assert not re.search(r"(?<![\w.])/(root|work)/\w", source.read_text()), source


def test_ci_runs_what_the_readme_says():
    targets = re.findall(r"^make (\w+)", text("README.md"), re.MULTILINE)

    assert {"run", "test", "prove"} <= set(targets)
    for target in targets:
        assert re.search(rf"^with .* {target}$", text(".ci/run"), re.MULTILINE), target


def test_every_tool_resource_and_prompt_of_the_mcp_server_is_in_the_reference():
    page = text("docs/reference/mcp.md")

    offered = [tool.name for tool in OFFERS.tools] + [each.uri for each in OFFERS.resources]
    offered += [prompt.name for prompt in OFFERS.prompts]
    assert [name for name in offered if f"`{name}`" not in page] == []
    rows = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(rows) == sorted(tool.name for tool in OFFERS.tools)


def test_every_file_of_the_state_home_is_in_the_reference():
    page = text("docs/reference/files.md")
    places = re.findall(r"\{state\}/([\w.]+)", text("src/holdfast/system/paths.py"))

    assert len(places) > 15
    stems = {name.partition(".")[0] for name in places}
    assert {stem for stem in stems if not re.search(rf"`{stem}[`./-]", page)} == set()
