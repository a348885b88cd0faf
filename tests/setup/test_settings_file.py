from __future__ import annotations

import copy
import json

import pytest
from hypothesis import HealthCheck, assume, example, given, settings, strategies as st

from holdfast.errors import SettingsError
from holdfast.setup.settings_file import add, remove

COMMAND = "holdfast hook claude-code"
EVENTS = ("SessionStart", "PostToolUse", "Stop")
THEIRS = {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint --fix"}]}
STYLES = {
    "two spaces": {"indent": 2},
    "four spaces": {"indent": 4},
    "three spaces": {"indent": 3},
    "one space": {"indent": 1},
    "lines without indent": {"indent": 0},
    "tabs": {"indent": "\t"},
    "one line": {},
    "minified": {"separators": (",", ":")},
}


def hook(command=COMMAND, timeout=10):
    return {"type": "command", "command": command, "timeout": timeout}


def group(**changes):
    return {"matcher": "", "hooks": [hook(**changes)]}


def is_ours(value):
    return isinstance(value, dict) and str(value.get("command")).startswith("holdfast ")


GROUPS = {event: group() for event in EVENTS}


def put(text, groups=GROUPS, made=()):
    return add(text, groups, is_ours, made)


def there_and_back(text, groups=GROUPS):
    added = put(text, groups)
    return remove(added.text, is_ours, json.loads(json.dumps(added.made)))


def with_ours(settings, groups=GROUPS):
    """What a tool that loads and dumps would have made of it."""
    settings = copy.deepcopy(settings)
    for event, ours in groups.items():
        settings.setdefault("hooks", {}).setdefault(event, []).append(ours)
    return settings


def without_ours(settings, made):
    """`remove`, told once more, about values instead of text."""
    settings = copy.deepcopy(settings)
    hooks = settings.get("hooks", {})
    for event, groups in list(hooks.items()):
        hooks[event] = [g for g in groups if not (isinstance(g, dict) and all_ours(g))]
        if not hooks[event] and ["hooks", event] in made:
            del hooks[event]
    if not hooks and ["hooks"] in made:
        del settings["hooks"]
    return settings


def all_ours(value):
    hooks = value.get("hooks")
    return isinstance(hooks, list) and hooks != [] and all(map(is_ours, hooks))


def for_all(*strategies):
    # A slow machine is not a failing test.
    steady = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    return lambda test: steady(given(*strategies)(test))


# --- settings nobody would write, and settings everybody writes

names = st.sampled_from([*EVENTS, "PreToolUse", "Bücher", 'a"b', ""])
scalars = st.sampled_from(
    ["0", "-0", "1.0", "1e5", "1E+400", "9" * 5000, "true", "null", '"\\u00e9\\/\\ud800"', '"é😀"']
)
blanks = st.text(alphabet=" \t\r\n", max_size=4)


@st.composite
def spread(draw, opening, closing, members):
    """A container with any white space between its parts."""
    between = [draw(blanks) + member + draw(blanks) for member in members]
    return opening + (",".join(between) or draw(blanks)) + closing


@st.composite
def objects(draw, keys, values):
    key = keys.map(lambda name: json.dumps(name, ensure_ascii=False))
    parts = draw(st.lists(st.tuples(key, values), max_size=4, unique_by=lambda part: part[0]))
    pairs = [name + draw(blanks) + ":" + draw(blanks) + value for name, value in parts]
    return draw(spread("{", "}", pairs))


def arrays(values):
    return st.lists(values, max_size=3).flatmap(lambda items: spread("[", "]", items))


anything = st.recursive(
    scalars, lambda inner: arrays(inner) | objects(names | st.just("hooks"), inner), max_leaves=6
)
other_keys = st.sampled_from(["permissions", "model", "é"])
events = objects(names, arrays(anything))


@st.composite
def strange_settings(draw):
    others = draw(st.lists(st.tuples(other_keys, anything), max_size=3))
    members = [f"{json.dumps(key)}:{draw(blanks)}{value}" for key, value in others]
    if draw(st.booleans()):
        at = draw(st.integers(0, len(members)))
        members.insert(at, f'"hooks"{draw(blanks)}:{draw(blanks)}{draw(events)}')
    body = draw(spread("{", "}", members))
    return draw(st.sampled_from(["", "\ufeff"])) + draw(blanks) + body + draw(blanks)


words = st.text(alphabet='ab"\\\n/é😀\u2028', max_size=4)
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    plain | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
foreign_groups = st.just(THEIRS) | st.just({"hooks": []}) | values
hook_tables = st.dictionaries(names, st.lists(foreign_groups, max_size=3), max_size=4)
usual_settings = st.builds(
    lambda before, hooks, after: before | hooks | after,
    st.dictionaries(other_keys, values, max_size=2),
    st.just({}) | st.builds(lambda table: {"hooks": table}, hook_tables),
    st.dictionaries(st.sampled_from(["env", "theme"]), values, max_size=2),
)
styles = st.sampled_from(list(STYLES.values()))


# --- 1. taking out gives back what was there


@for_all(strange_settings() | blanks)
@example('{"hooks":{\n}}')
@example('{\n  "hooks": {\r}\n}')
@example('{\r\n  "hooks": {\n\r\n\r}\r\n}')
@example("\ufeff")
def test_what_was_added_comes_out_to_the_byte(text):
    assert there_and_back(text) == text


@for_all(usual_settings, styles, st.booleans(), st.sampled_from(["", "\n", "\n\n"]))
def test_what_was_added_comes_out_of_any_usual_style(original, style, windows, end):
    text = json.dumps(original, **style) + end
    text = text.replace("\n", "\r\n") if windows else text

    assert there_and_back(text) == text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"hooks": {}}', id="an empty table of hooks"),
        pytest.param('{\n  "hooks": {\n  }\n}\n', id="an empty table on two lines"),
        pytest.param('{\n  "hooks": {"Stop": [ ]}, "a": 1}', id="an empty event"),
        pytest.param('{"hooks": {}, "a": 1.0}', id="hooks first"),
        pytest.param('{"a": 1e5, "hooks": {}, "b": "\\u00e9"}', id="hooks in the middle"),
        pytest.param('{"\\u0068ooks": {"St\\u006fp": []}}', id="keys written in escapes"),
        pytest.param('{"a": 1, "a": 2}', id="a foreign key that is there twice"),
    ],
)
def test_an_empty_container_that_was_there_is_still_there_afterwards(text):
    assert there_and_back(text) == text


def test_containers_that_we_made_are_named_so_that_they_can_go_again():
    added = put('{"hooks": {"Stop": []}}')

    assert added.made == [["hooks", "PostToolUse"], ["hooks", "SessionStart"]]


def test_a_damaged_record_of_what_we_made_costs_nobody_a_key():
    text = '{"permissions": {}, "hooks": {"Stop": [{}]}}'

    assert remove(text, is_ours, [["permissions"], ["hooks", "Stop", "0"]]) == text


# --- 2. what is added looks like its surroundings


@for_all(usual_settings, styles)
def test_added_hooks_look_as_if_the_files_own_writer_had_written_them(original, style):
    assume(original or style == {"indent": 2})

    assert put(json.dumps(original, **style)).text == json.dumps(with_ours(original), **style)


@for_all(usual_settings, styles)
def test_windows_line_ends_are_kept(original, style):
    text = put(json.dumps(original, **style).replace("\n", "\r\n") + "\r\n").text

    assert text.count("\n") == text.count("\r\n")


@pytest.mark.parametrize("text", ["", "\ufeff"])
def test_an_empty_file_becomes_two_spaces_and_a_last_line_end(text):
    assert put(text).text == text + json.dumps(with_ours({}), indent=2) + "\n"


def test_an_array_on_one_line_stays_on_one_line_in_a_file_of_many():
    text = '{\n  "hooks": {\n    "Stop": [{"hooks": []}]\n  }\n}\n'
    ours = json.dumps(group())

    assert put(text, {"Stop": group()}).text == text.replace("}]", "}, " + ours + "]")


def test_a_value_on_the_line_below_its_key_is_no_example_to_follow():
    ours = json.dumps({"hooks": {"Stop": [group()]}})[1:-1]

    assert put('{"a":\n1}', {"Stop": group()}).text == '{"a":\n1, ' + ours + "}"


# --- 3. another tool has loaded the file and dumped it


def place(settings, theirs, where, index):
    """Add their hook to settings, with or without ours in them."""
    settings = copy.deepcopy(settings)
    if where == "elsewhere":
        return settings | {"statusLine": theirs}
    groups = settings.setdefault("hooks", {}).setdefault(where, [])
    groups.insert(min(index, len(groups)), theirs)
    return settings


@for_all(usual_settings, st.sampled_from([*EVENTS, "Notification", "elsewhere"]), st.integers(0, 5))
def test_their_hook_stays_exactly_as_if_we_had_never_been_there(original, where, index):
    added = put(json.dumps(original, indent=2))
    theirs = place(json.loads(added.text), THEIRS, where, index)
    expected = place(original, THEIRS, where, index)

    assert remove(json.dumps(theirs, indent=2), is_ours, added.made) == json.dumps(
        expected, indent=2
    )


@pytest.mark.parametrize("index", [0, 1, 2, 3])
def test_an_event_put_before_between_or_after_ours_is_all_that_remains(index):
    added = put('{\n  "hooks": {}\n}')
    table = list(json.loads(added.text)["hooks"].items())
    table.insert(index, ("Notification", [THEIRS]))
    edited = json.dumps({"hooks": dict(table)}, indent=2)

    expected = json.dumps({"hooks": {"Notification": [THEIRS]}}, indent=2)
    assert remove(edited, is_ours, added.made) == expected


@pytest.mark.parametrize("index", [0, 1, 2])
def test_of_a_merged_group_only_our_hooks_are_taken_out(index):
    added = put("{}", {"Stop": {"hooks": [hook(), hook("holdfast gate")]}})
    merged = json.loads(added.text)
    merged["hooks"]["Stop"][0]["hooks"].insert(index, THEIRS["hooks"][0])

    expected = {"hooks": {"Stop": [{"hooks": THEIRS["hooks"]}]}}
    assert remove(json.dumps(merged, indent=2), is_ours, added.made) == json.dumps(
        expected, indent=2
    )


# --- 4. another tool has edited the text


@for_all(anything, st.lists(blanks, min_size=6, max_size=6), st.booleans())
def test_text_put_next_to_ours_keeps_every_byte(value, blank, is_before):
    head = f'{{{blank[0]}"x":{value}{blank[1]},"hooks":{{"Stop":[{blank[2]}"first"'
    tail = f"{blank[3]}]}}}}"
    theirs = f',{blank[4]}{{ "matcher":"X" ,"hooks":[]}}{blank[5]}'
    added = put(head + tail, {"Stop": group()})
    ours = added.text.removeprefix(head).removesuffix(tail)
    edited = head + (theirs + ours if is_before else ours + theirs) + tail

    assert remove(edited, is_ours, added.made) == head + theirs + tail


def test_a_file_that_was_empty_keeps_what_somebody_wrote_into_it():
    added = put("")
    edited = added.text.replace("{\n", '{\n  "model":"x",\n', 1)

    assert remove(edited, is_ours, added.made) == '{\n  "model":"x"\n}\n'


# --- 5. nothing but ours has changed


@for_all(usual_settings, styles)
def test_everything_that_is_not_ours_means_what_it_meant(original, style):
    added = put(json.dumps(original, **style))

    assert without_ours(json.loads(added.text), added.made) == original


@for_all(strange_settings())
def test_taking_out_ours_where_there_is_none_changes_nothing(text):
    assert remove(text, is_ours, []) == text


# --- adding again


@for_all(strange_settings() | blanks)
def test_adding_twice_is_adding_once(text):
    once = put(text)

    assert put(once.text, made=once.made) == once


@for_all(usual_settings, styles)
def test_a_stale_hook_of_ours_is_replaced_where_it_stands(original, style):
    stale = {event: group(command="holdfast old", timeout=1) for event in EVENTS}
    old = put(json.dumps(original, **style), stale)
    edited = place(json.loads(old.text), THEIRS, "Stop", 9)

    expected = json.dumps(edited, **style).replace("holdfast old", COMMAND)
    expected = expected.replace('"timeout": 1', '"timeout": 10').replace(
        '"timeout":1', '"timeout":10'
    )
    assert put(json.dumps(edited, **style), made=old.made).text == expected


def test_a_stale_hook_among_foreign_ones_moves_into_a_group_of_its_own():
    mixed = {"matcher": "Bash", "hooks": [THEIRS["hooks"][0], hook()]}
    text = json.dumps({"hooks": {"Stop": [mixed]}}, indent=2)

    expected = json.dumps({"hooks": {"Stop": [THEIRS, group()]}}, indent=2)
    assert put(text, {"Stop": group()}).text == expected


def test_a_group_that_somebody_merged_with_ours_is_left_alone_while_it_says_what_we_want():
    mixed = {"matcher": "", "hooks": [THEIRS["hooks"][0], hook()]}
    text = json.dumps({"hooks": {"Stop": [mixed]}})

    assert put(text, {"Stop": group()}).text == text


def test_ours_is_there_once_even_if_it_was_there_twice():
    text = json.dumps({"hooks": {"Stop": [group(), THEIRS, group(), group(timeout=1)]}})

    expected = json.dumps({"hooks": {"Stop": [group(), THEIRS]}})
    assert put(text, {"Stop": group()}).text == expected


def test_an_event_that_we_no_longer_ask_for_is_given_back():
    old = put("{}")

    assert put(old.text, {"Stop": group()}, old.made) == put("{}", {"Stop": group()})


def test_adding_again_remembers_what_the_first_adding_made():
    old = put('{"a": 1}', {"Stop": group()})
    new = put(old.text, made=old.made)

    assert remove(new.text, is_ours, new.made) == '{"a": 1}'


# --- what is refused


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param("hello", "line 1, column 1", id="not JSON"),
        pytest.param('{\n  "a": 1,\n}', "line ", id="a trailing comma"),
        pytest.param('{\n  // mine\n  "a": 1}', "line 2, column 3", id="a comment"),
        pytest.param("{} {}", "line 1, column 4", id="two objects"),
        pytest.param("\n []", "line 2, column 2", id="an array"),
        pytest.param('\ufeff"hooks"', "line 1, column 1", id="a string after a byte order mark"),
        pytest.param('{"a": NaN}', "NaN", id="a number that is not JSON"),
        pytest.param('{"a": "\n"}', "line 1, column 8", id="a line end in a string"),
        pytest.param('{"hooks": []}', "line 1, column 11", id="hooks that are an array"),
        pytest.param('{"hooks": null}', "line 1, column 11", id="hooks that are null"),
        pytest.param('{"hooks":\n{"Stop": {}}}', "line 2, column 10", id="an event not an array"),
        pytest.param('{"hooks": {},\n"hooks": {}}', "line 2, column 1", id="hooks twice"),
        pytest.param('{"hooks": {"A": [], "\\u0041": []}}', "column 21", id="an event twice"),
        pytest.param(
            '{"hooks": {"A": [{"hooks": [], "hooks": []}]}}',
            "column 32",
            id="a group's hooks twice",
        ),
        pytest.param('{"a": ' + "[" * 100_000, "too deeply", id="nested without end"),
        pytest.param('{"a":' * 9999 + "1" + "}" * 9999, "too deeply", id="nested too deeply"),
    ],
)
def test_settings_that_we_cannot_edit_are_refused_and_the_place_is_named(text, place):
    for attempt in (lambda: put(text), lambda: remove(text, is_ours, [])):
        with pytest.raises(SettingsError, match=place) as refusal:
            attempt()
        assert refusal.value.hint


@for_all(st.text(alphabet='{}[]",: \n1aehkos\\\ufeff', max_size=30))
def test_whatever_the_text_is_it_is_given_back_or_refused(text):
    try:
        assert there_and_back(text) == text
    except SettingsError:
        assert text.strip()


@pytest.mark.parametrize("value", ["null", "3", '"x"', "{}", '{"hooks": 1}', '{"hooks": ["x", 3]}'])
def test_a_group_of_a_shape_we_do_not_know_is_left_alone(value):
    text = '{"hooks": {"Stop": [' + value + "]}}"

    assert there_and_back(text) == text
