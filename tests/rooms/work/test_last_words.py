"""An agent's message in a few lines."""

from __future__ import annotations

import pytest

from holdfast.rooms.work.last_words import condensed

pytestmark = pytest.mark.promise("W7")

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
    assert condensed(MESSAGE, 400) == (
        "Retry is in `fetch.py` now. It gives up after three tries."
        " The first try counts, too. Open: the timeout is still ten seconds."
    )


@pytest.mark.parametrize("cap", [45, 60, 80, 120, 200])
def test_it_ends_with_a_sentence_and_keeps_to_its_length(cap):
    short = condensed(MESSAGE, cap)

    assert len(short) <= cap + 2
    assert short[-1] in ".…"


def test_a_sentence_that_is_longer_ends_at_a_word():
    assert condensed("alpha beta gamma " * 20, 40) == "alpha beta gamma alpha beta gamma…"


@pytest.mark.parametrize("text", ["", "```\ncode\n```", "| a | b |\n|---|---|", "---\n***"])
def test_a_message_without_words_gives_nothing(text):
    assert condensed(text, 100) == ""


def test_a_block_that_is_never_closed_is_code_to_the_end():
    assert condensed("All set.\n```\nx = 1\ny = 2", 100) == "All set."
