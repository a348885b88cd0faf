from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.rooms.work.topics import (
    BOUND,
    TOP,
    of_categories,
    of_label,
    of_prompt,
    of_subject,
    of_tool,
    top,
    words,
)

PACKAGES = Path(__file__).parents[3] / "src"


@pytest.mark.promise("C4")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("Cart TAX", ["cart", "tax"], id="small letters"),
        pytest.param("ab abc", ["abc"], id="three letters at least"),
        pytest.param("x" * 40, ["x" * 40], id="forty at most"),
        pytest.param("x" * 41, [], id="not forty-one"),
        pytest.param("the cart and the tax", ["cart", "tax"], id="no stop words"),
        pytest.param("tax cart tax", ["tax", "cart"], id="once, in order"),
        pytest.param("shop/cart/total.py", ["shop", "cart", "total"], id="a path"),
        pytest.param("parseCartTotal", ["parse", "cart", "total"], id="camel case"),
        pytest.param("CartTotal", ["cart", "total"], id="Pascal case"),
        pytest.param("XMLCartParser", ["xml", "cart", "parser"], id="capitals together"),
        pytest.param("MAX_RETRIES", ["max_retries"], id="a constant"),
        pytest.param("cart_total", ["cart_total"], id="snake case"),
        pytest.param("user-profile", ["user-profile"], id="with a hyphen"),
        pytest.param("--no-cache", ["no-cache"], id="an option"),
        pytest.param("mcp__serena__find_symbol", ["mcp", "serena", "find_symbol"], id="MCP"),
        pytest.param("GitHub JavaScript", ["github", "javascript"], id="names with a hump"),
        pytest.param("404 10_000 2026-01-15 0x1f", [], id="numbers"),
        pytest.param("2026-01-15T10:00:00Z", [], id="a time"),
        pytest.param("ac7b243f 8509740", [], id="short hashes"),
        pytest.param("a94a8fe5ccb19ba61c4c0873d391e987982fbbd3", [], id="a hash"),
        pytest.param("550e8400-e29b-41d4-a716-446655440000", [], id="a UUID"),
        pytest.param("01HX5K3Q2ZJ8V7N4B6M9RSTUVW", [], id="another id"),
        pytest.param(
            "sha256 utf8 task-004", ["sha256", "utf8", "task-004"], id="words with digits"
        ),
        pytest.param("ab1234 a12345", ["ab1234"], id="two letters at least"),
        pytest.param("xyz4567 abc123f", ["xyz4567"], id="seven hex digits are a hash"),
        pytest.param("xy" * 6 + "1234", [], id="sixteen with four digits are an id"),
        pytest.param("xy" * 6 + "123", ["xy" * 6 + "123"], id="fifteen are not"),
        pytest.param("xy" * 7 + "123", ["xy" * 7 + "123"], id="three digits are not"),
        pytest.param("defaced facade", ["defaced", "facade"], id="words of hex letters"),
        pytest.param("größe übergang", ["größe", "übergang"], id="other letters"),
        pytest.param("__init__ _private-", ["init", "private"], id="edges"),
    ],
)
def test_words_are_what_would_be_said_again(text, expected):
    assert words(text) == expected


@pytest.mark.promise("C4")
def test_a_tools_name_and_words_weigh_one_and_the_nearest_folders_two():
    found = of_tool("Edit", {"file_path": "/home/dev/shop/api/cart/total.py"})

    assert found == {"edit": 1, "shop": 1, "api": 2, "cart": 2, "total": 1}


@pytest.mark.promise("C4")
def test_a_workdir_is_a_folder_itself():
    assert of_tool("exec", {"workdir": "/home/dev/shop"}) == {"exec": 1, "shop": 2}


@pytest.mark.promise("C4")
def test_whose_home_it_is_is_no_topic():
    found = of_tool("Read", {"file_path": "/Users/somebody/shop/cart.py"})

    assert found == {"read": 1, "shop": 2, "cart": 1}


@pytest.mark.promise("C4")
def test_a_file_beside_us_has_no_folder():
    assert of_tool("Read", {"file_path": "./README.md"}) == {"read": 1, "readme": 1}


@pytest.mark.promise("C4")
@pytest.mark.parametrize(
    ("length", "counts"), [(2, False), (3, True), (40, True), (199, True), (200, False)]
)
def test_parameters_of_3_to_199_characters_are_read(length, counts):
    command = "tax".ljust(length, ".")[:length]

    assert ("tax" in of_tool("Bash", {"command": command})) is counts


@pytest.mark.promise("C4")
def test_whole_files_and_ids_and_odd_values_are_not_read_for_words():
    given = {
        "content": "secretword",
        "new_string": "secretword",
        "old_string": "secretword",
        "task_id": "secretword",
        "edits": ["secretword"],
        "limit": 2000,
        "replace_all": True,
        "nothing": None,
        "query": "checkout",
    }

    assert of_tool("Edit", given) == {"edit": 1, "checkout": 1}


@pytest.mark.promise("C4")
def test_a_call_counts_a_word_once_however_often_it_says_it():
    found = of_tool("Bash", {"command": "deploy deploy", "description": "deploy the deploy"})

    assert found == {"bash": 1, "deploy": 1}


@pytest.mark.promise("C4")
def test_a_tool_without_a_name_or_parameters_has_no_words():
    assert of_tool("", {}) == {}


@pytest.mark.promise("C4")
def test_a_name_given_weighs_more_than_a_name_used():
    assert of_prompt("checkout flow") == {"checkout": 1, "flow": 1}
    assert of_subject("checkout flow") == {"checkout": 2, "flow": 2}
    assert of_categories(["checkout", "tax rules"]) == {"checkout": 2, "tax": 2, "rules": 2}
    assert of_label("checkout flow") == {"checkout": 3, "flow": 3}


@pytest.mark.promise("C4")
@pytest.mark.parametrize(("given", "kept"), [(39, 39), (40, 40), (41, 40)])
def test_a_prompt_gives_at_most_forty_words(given, kept):
    prompt = " ".join(f"word{number}x" for number in range(given))

    assert list(of_prompt(prompt)) == [f"word{number}x" for number in range(kept)]


@pytest.mark.promise("C4")
def test_a_log_pasted_into_a_prompt_does_not_become_its_topics():
    assert of_prompt("fix checkout " + "a " * 4_000 + "laterword") == {"fix": 1, "checkout": 1}


@pytest.mark.promise("C4")
def test_the_heaviest_words_come_first_and_equal_ones_by_the_alphabet():
    weights = {"tax": 2, "cart": 5, "api": 2, "vat": 1}

    assert top(weights) == ["cart", "api", "tax", "vat"]
    assert top(weights, 2) == ["cart", "api"]
    assert top(weights, 0) == []
    assert top({}) == []


@pytest.mark.promise("C4")
def test_twenty_are_hot_of_the_two_hundred_that_are_kept():
    weights = {f"word{number:03}": 1 for number in range(300)}

    assert top(weights) == sorted(weights)[:20]
    assert (TOP, BOUND) == (20, 200)


@pytest.mark.promise("C4")
def test_the_same_call_has_the_same_words_in_the_same_order_under_any_hash_seed():
    script = (
        f"import sys; sys.path.insert(0, {str(PACKAGES)!r})\n"
        "from holdfast.rooms.work import topics\n"
        "found = topics.of_tool('Bash', {'command': 'deploy shop cart', 'cwd': '/srv/shop/api'})\n"
        "print(found, topics.top(found))"
    )
    said = {
        subprocess.check_output(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, text=True
        )
        for seed in ("0", "1", "2")
    }

    assert len(said) == 1
