"""A session's report as Markdown and as one HTML file.

Laws: whatever is not ours stands in code, which it cannot leave, or is escaped: no tag, link,
mention, image or reference of it comes to life, in a browser or in a pull request. The HTML asks
nobody for anything and runs no script.
"""

from __future__ import annotations

import html
import re

from holdfast import __version__
from holdfast.cli.helpers.session_report import Item, Section, SessionReport
from holdfast.hook.voice import visible

MADE_BY = f"Made by Holdfast {__version__} from what was kept on this machine."
STYLE = """
:root { color-scheme: light dark; --ink: #1d2429; --quiet: #5a666e; --line: #d5dbdf; --paper: #fff;
  --wash: #f4f6f7; --mark: #0b6470 }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ea; --quiet: #a3adb4; --line: #3a444b;
  --paper: #14191d; --wash: #1d2429; --mark: #6cc5cf } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 52rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 0 .5rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
.task { font-size: 1.15rem; margin: 0 0 1rem; white-space: pre-wrap; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 }
dt, .at, .label, footer { color: var(--quiet) } dd { margin: 0; overflow-wrap: anywhere }
ul { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line) }
li { padding: .5rem 0; border-bottom: 1px solid var(--line) }
.head { font-size: .85rem; display: flex; gap: .75rem; flex-wrap: wrap }
.label { color: var(--mark) } .at { font-variant-numeric: tabular-nums }
.words { white-space: pre-wrap; overflow-wrap: anywhere; margin: .1rem 0 0 }
footer { margin-top: 3rem; font-size: .85rem }
@media print { body { max-width: none } }
"""


def markdown(report: SessionReport) -> str:
    lines = [f"# {report.title}", ""]
    if report.task:
        lines += [*_fenced(report.task), ""]
    lines += [f"- {fact.name}: {_code(fact.value)}" for fact in report.facts]
    for section in shown(report):
        lines += ["", f"## {section.title}", ""]
        lines += [line for item in section.items for line in _listed(item)] or [section.empty]
    return "\n".join([*lines, "", MADE_BY])


def page(report: SessionReport) -> str:
    sections = "\n".join(_section(section) for section in shown(report))
    facts = "".join(
        f"<dt>{_escaped(fact.name)}</dt><dd>{_escaped(fact.value)}</dd>" for fact in report.facts
    )
    task = f'<p class="task">{_escaped(report.task)}</p>' if report.task else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{_escaped(report.title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{_escaped(report.title)}</h1>
{task}
<dl>{facts}</dl>
{sections}
</main>
<footer>{_escaped(MADE_BY)}</footer>
</body>
</html>
"""


def shown(report: SessionReport) -> list[Section]:
    return [section for section in report.sections if section.items or section.empty]


def _section(section: Section) -> str:
    items = "\n".join(_item(item) for item in section.items)
    body = f"<ul>\n{items}\n</ul>" if items else f"<p>{_escaped(section.empty)}</p>"
    return f"<section>\n<h2>{_escaped(section.title)}</h2>\n{body}\n</section>"


def _item(item: Item) -> str:
    at = f'<span class="at">{_escaped(_minute(item.at))}</span>' if item.at else ""
    label = f'<span class="label">{_escaped(item.label)}</span>' if item.label else ""
    head = f'<div class="head">{at}{label}</div>' if at or label else ""
    words = f'<p class="words">{_escaped(item.text)}</p>' if item.text else ""
    return f"<li>{head}{words}</li>"


def _escaped(text: str) -> str:
    return html.escape(visible(text))


def _listed(item: Item) -> list[str]:
    head = ", ".join(part for part in (_minute(item.at), _code(item.label)) if part)
    if "\n" not in item.text.strip():
        words = _code(item.text)
        return [f"- {': '.join(part for part in (head, words) if part)}"]
    return [f"- {head}", "", *(f"  {line}".rstrip() for line in _fenced(item.text)), ""]


def _fenced(text: str) -> list[str]:
    """Lines in a fence that is longer than any of theirs."""
    text = visible(text)
    fence = "`" * max(3, _longest(text) + 1)
    return [f"{fence}text", *text.split("\n"), fence]


def _code(text: str) -> str:
    """One line in backquotes that it cannot close."""
    flat = " ".join(visible(text).split())
    if not flat:
        return ""
    marks = "`" * (_longest(flat) + 1)
    space = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{marks}{space}{flat}{space}{marks}"


def _longest(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _minute(at: str) -> str:
    return f"{at[:10]} {at[11:16]}" if at else ""
