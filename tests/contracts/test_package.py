"""`holdfast` on the package index is another project: nobody is sent there."""

from __future__ import annotations

import re
import tomllib

from packages import INSTALLS, ROOT, installations

NAME = "holdfast-agents"
# The name, but no path or module of ours: `holdfast`, `holdfast[mcp]`, `holdfast==1`.
ANOTHERS = re.compile(r"(?<![\w./-])holdfast(?![\w./-])")


def test_the_package_has_its_own_name_and_the_command_keeps_it():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert about["name"] == NAME
    assert about["scripts"]["holdfast"] == "holdfast.__main__:main"


def test_nothing_tells_anyone_to_install_another_project():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.py")]
    told = [
        (page.name, line)
        for page in [*pages, ROOT / "pyproject.toml", ROOT / "Makefile"]
        for line in page.read_text().splitlines()
        if "holdfast[" in line or any(ANOTHERS.search(one) for one in INSTALLS.findall(line))
    ]

    assert told == []


def test_the_pages_say_how_to_install_it_and_its_extras():
    lines = [line for one in installations() for line in one.lines]

    assert {line.split()[0] for line in lines} == {"uv", "pipx"}
    extras = {extra for line in lines for extra in re.findall(r"'\.\[(\w+)\]'", line)}
    assert extras == {"mcp", "web"}
