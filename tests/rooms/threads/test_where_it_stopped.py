"""Where the work stopped, in whole sentences of an agent's message."""

from __future__ import annotations

import pytest

from holdfast.rooms.threads.where_it_stopped import excerpt, of

pytestmark = pytest.mark.promise("T6")

MESSAGE = """\
## Done

**Retry** is in `fetch.py` now. It gives up after three tries.

```python
for n in range(3):
    fetch()
```

| file | lines |
|---|---|
| fetch.py | 12 |

- The first try counts, too.
- Open: the timeout is still ten seconds.
"""


def test_prose_stays_and_code_tables_and_marks_go():
    assert excerpt(MESSAGE, 400) == (
        "Retry is in `fetch.py` now. It gives up after three tries."
        " The first try counts, too. Open: the timeout is still ten seconds."
    )


@pytest.mark.parametrize("cap", [112, 115, 120])
def test_a_long_message_is_told_by_how_it_begins_and_how_it_ends(cap):
    short = excerpt(MESSAGE, cap)

    assert short.startswith("Retry is in `fetch.py` now. It gives up after three tries.")
    assert short.endswith("... Open: the timeout is still ten seconds.")
    assert len(short) <= cap


def test_each_of_many_words_is_told_by_its_first():
    long = "The first " + "word " * 60 + "ends. The second " + "word " * 60 + "ends. The last."

    assert excerpt(long, 100).count("…") == 2
    assert excerpt(long, 100).endswith(" The last.")


@pytest.mark.parametrize("text", ["", "```\ncode\n```", "| a | b |\n|---|---|", "---\n***"])
def test_a_message_without_words_gives_nothing(text):
    assert excerpt(text, 100) == ""


def test_a_block_that_is_never_closed_is_code_to_the_end():
    assert excerpt("All set.\n```\nx = 1\ny = 2", 100) == "All set."


def test_a_short_message_is_told_with_the_one_before_it():
    assert of([MESSAGE, "Committed."]).endswith(
        "Open: the timeout is still ten seconds. ... Committed."
    )
    assert of(["", "Committed."]) == "Committed."
    assert of([]) == ""


def test_a_sentence_that_only_announces_is_no_end():
    long = f"It works. Tests pass. {'The fetcher waits. ' * 12}Try it."

    assert excerpt(f"{long} It prints:\n```\nok\n```", 120).endswith("... Try it.")
    assert excerpt("It works. Try it. It prints:\n```\nok\n```") == "It works. Try it."
