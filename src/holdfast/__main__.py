"""`holdfast` and `python -m holdfast`: the last broad handler, where our own bugs end."""

from __future__ import annotations

import os
import sys

BRIEF, STATUS_LINE = ["consciousness", "brief"], ["statusline"]


def main(program: str = "holdfast") -> int:
    if program == "holdfast" and sys.argv[1:] == BRIEF:
        return _brief()
    if sys.argv[1:] == STATUS_LINE and not os.isatty(0):
        return _status_line()
    os.umask(os.umask(0o077) & 0o077)  # whatever it takes from others, we can read what we write
    from holdfast.cli import main as run

    try:
        return run(program=program)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader went away: `holdfast sessions | head`
        sys.stderr.close()
        return 0
    except Exception as error:
        return _our_bug(error)


def req() -> int:
    """`req`, a program of its own: what `holdfast req` does."""
    return main("req")


def _brief() -> int:
    """`holdfast consciousness brief` may be run before every tool call, so it loads no command
    line."""
    from holdfast.hook import brief_file

    print(brief_file.format_brief(brief_file.session_here()))
    return 0


def _status_line() -> int:
    """`holdfast statusline` is run at every step of an agent: no command line either."""
    from holdfast.hook import status_line
    from holdfast.system import paths

    print(status_line.show(paths.state_home()), end="")
    return 0


def _our_bug(error: Exception) -> int:
    """The whole report into the log, one line for the person."""
    import traceback

    from holdfast import __version__
    from holdfast.system import clock, files, paths

    state = paths.state_home()
    report = "".join(traceback.format_exception(error))
    try:
        files.own_folder(state)
        with open(paths.log(state), "a", encoding="utf-8", opener=files.open_private) as log:
            log.write(f"{clock.now()} holdfast {__version__} {sys.argv[1:2]}\n{report}\n")
        where = f"the full report is in {paths.log(state)}"
    except OSError:
        where = "the log could not be written"
    print(f"error: this is a bug in holdfast: {type(error).__name__}: {error}", file=sys.stderr)
    print(f"hint:  {where}", file=sys.stderr)
    return 3


if __name__ == "__main__":
    raise SystemExit(main())
