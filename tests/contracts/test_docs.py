"""The documents say what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holdfast.agents.claude_code import payloads
from holdfast.cli import COMMANDS
from holdfast.cli.helpers.agent_tools import OFFERS
from holdfast.rooms.sessions import life

ROOT = Path(__file__).parents[2]


def text(name: str) -> str:
    return (ROOT / name).read_text()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_documents(command):
    assert f"`holdfast {command}" in text("docs/cli.md")


@pytest.mark.parametrize("event", payloads.HOOKS)
def test_every_installed_event_is_in_the_documents(event):
    assert event in text("docs/hooks.md")


def test_the_drawing_of_a_sessions_life_is_the_table_itself():
    assert life.diagram() in text("docs/architecture.md")


def test_every_variable_that_is_read_is_in_the_documents():
    read = set()
    for source in (ROOT / "src").rglob("*.py"):
        read |= set(re.findall(r"HOLDFAST_[A-Z_]+", source.read_text()))

    assert {name for name in read if f"`{name}`" not in text("docs/settings.md")} == set()


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

    assert len(words) > 60
    assert sorted(words) == sorted(set(words))


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
