"""Templates: every text that was kept is escaped, and shows what it is.

Law: no text hides, turns or imitates what stands beside it: characters that nobody sees are left
out before anything is written into a page (hook/voice.py), then all of it is escaped.
"""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from holdfast import __version__
from holdfast.hook.tokens import count
from holdfast.hook.voice import inline, visible
from holdfast.rooms.sessions.life import short

FOLDER = Path(__file__).parent
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "short": short,
        "line": inline,
        "tokens": count,
        "time": _time,
        "thousands": _thousands,
        "marked": _marked,
        "sentence": sentence,
        "many": _many,
    }
    made.globals |= {"version": __version__}
    return made


def static_files() -> dict[str, tuple[bytes, str]]:
    """What the pages look like and how they move, by name: no path of a request leads to a file."""
    folder = FOLDER / "static"
    return {
        file.name: (file.read_bytes(), KINDS[file.suffix])
        for file in sorted(folder.iterdir())
        if file.suffix in KINDS
    }


def _shown(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return "" if value is None else value


def _time(at: str, form: str = "") -> Markup:
    """A time, which a script writes in the reader's zone; without it, in UTC."""
    if len(at) < len("2026-01-01T00:00:00"):
        return Markup("")
    text = f"{at[:10]} {at[11:16]} UTC"
    return Markup('<time datetime="{}" data-form="{}">{}</time>').format(at, form, text)


def _marked(text: str) -> Markup:
    """A message of ours, with what stands in backquotes as code."""
    parts = visible(text).split("`")
    wrap = (Markup("{}"), Markup("<code>{}</code>"))
    is_whole = len(parts) % 2 == 1  # a backquote without its other stays as it is
    if not is_whole:
        return escape(visible(text))
    return Markup("").join(wrap[place % 2].format(part) for place, part in enumerate(parts))


def sentence(text: object) -> str:
    """A message of ours, which begins small and has no full stop, as a sentence."""
    words = str(text).strip()
    end = "" if not words or words[-1] in ".!?" else "."
    return f"{words[:1].upper()}{words[1:]}{end}"


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _thousands(number: float) -> str:
    return f"{number:,.0f}"
