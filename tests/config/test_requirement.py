from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from holdfast.agents.acts import EDITING_TOOLS
from holdfast.config.requirement import (
    FIELDS,
    OPTIONS,
    REQUIREMENTS_CAP,
    active,
    compile_all,
    options,
    origins,
)

SOURCES = Path(__file__).parents[2] / "src"
BY_DEFAULT = [{"tool": tool, "command_pattern": "", "paths": []} for tool in EDITING_TOOLS]


def layers(*texts: str) -> list[tuple[str, dict]]:
    names = ("user.yaml", "project.yaml", "local.yaml")
    return [(name, yaml.safe_load(text)) for name, text in zip(names, texts, strict=False)]


def one(text: str) -> dict:
    """The requirement `r`, whose fields are this YAML."""
    compiled, problems = compile_all([("r.yaml", {"requirements": {"r": yaml.safe_load(text)}})])
    assert problems == []
    return compiled["r"]


def said(text: str) -> list[str]:
    """What is told about a requirement `r` with these fields."""
    _, problems = compile_all([("r.yaml", {"requirements": {"r": yaml.safe_load(text)}})])
    assert {file for file, _ in problems} <= {"r.yaml"}
    return [line for _, line in problems]


@pytest.mark.promise("G1")
def test_a_requirement_without_a_field_has_every_field():
    assert one("{}") == {
        "enabled": True,
        "type": "blocking",
        "scope": "session",
        "trigger_tools": BY_DEFAULT,
        "trigger": [],
        "opaque": "allow",
        "answer": "deny",
        "rule": None,
        "checklist": [],
        "message": "",
        "short_message": "",
        "description": "",
        "satisfied_by_skill": [],
        "auto_resolve_skill": "",
        "stop_only": False,
        "replan_ttl": None,
        "evidence": None,
        "evidence_required": [],
        "evidence_runs": [],
        "evidence_first": [],
        "min_confidence": None,
        "approval_ttl": 300,
        "for_subagents": False,
        "calculator": "",
        "thresholds": None,
        "cache_ttl": 60,
        "blocking_message": "",
        "guard_type": "",
        "protected_branches": ["master", "main"],
        "deprecated": False,
        "deprecated_message": "",
    }


@pytest.mark.promise("G1")
def test_every_field_of_the_design_is_read():
    whole = one("""
        enabled: true
        type: blocking
        scope: branch
        trigger_tools: [Edit, {tool: Bash, command_pattern: 'git\\s+commit', paths: 'src/**'}]
        checklist: [one, two]
        message: m
        short_message: s
        description: d
        satisfied_by_skill: /arch-review
        auto_resolve_skill: team:arch-review
        stop_only: true
        replan_ttl: 7200
        evidence: {dirs: .claude/plans, require_markers: ['## Plan'], require_verdict: APPROVED,
                   max_age_seconds: 3600}
        evidence_required: [tests, build, lint, types, review]
        min_confidence: 70
        approval_ttl: 60
        for_subagents: true
    """)

    assert whole["trigger_tools"] == [
        {"tool": "Edit", "command_pattern": "", "paths": []},
        {"tool": "Bash", "command_pattern": "git\\s+commit", "paths": ["src/**"]},
    ]
    assert whole["satisfied_by_skill"] == ["arch-review"]
    assert whole["auto_resolve_skill"] == "team:arch-review"
    assert whole["evidence"] == {
        "dirs": [".claude/plans"],
        "require_markers": ["## Plan"],
        "require_verdict": "APPROVED",
        "max_age_seconds": 3600,
    }
    assert (whole["scope"], whole["replan_ttl"], whole["min_confidence"]) == ("branch", 7200, 70)
    assert (whole["checklist"], whole["for_subagents"]) == (["one", "two"], True)


@pytest.mark.promise("G1")
def test_a_dynamic_requirement_has_its_number_and_its_times():
    found = one("{type: dynamic, calculator: branch_size, thresholds: {block: 400}}")

    assert found["thresholds"] == {"block": 400, "warn": None}
    assert (found["cache_ttl"], found["approval_ttl"]) == (60, 300)


@pytest.mark.promise("G1")
@pytest.mark.parametrize("kind", ["protected_branch", "single_session"])
def test_a_guard_has_its_condition(kind):
    found = one(f"{{type: guard, guard_type: {kind}}}")

    assert (found["guard_type"], found["protected_branches"]) == (kind, ["master", "main"])


def test_one_requirements_defaults_are_not_the_next_ones():
    compiled, _ = compile_all(layers("requirements: {a: {}, b: {}}"))
    compiled["a"]["trigger_tools"][0]["paths"].append("x")
    compiled["a"]["protected_branches"].append("x")

    assert compiled["b"]["trigger_tools"] == BY_DEFAULT
    assert one("{}")["protected_branches"] == ["master", "main"]


WRONG = {
    "a type that is none": ("type: blokking", "type wants one of blocking, dynamic, guard"),
    "a scope that is none": ("scope: sesion", "not 'sesion' (did you mean session?)"),
    "a text for a flag": ("enabled: 'yes'", "enabled wants true or false, not 'yes'"),
    "a number for a text": ("message: 3", "message wants a text, not 3"),
    "a flag for a number": ("approval_ttl: true", "approval_ttl wants a whole number"),
    "no time at all": ("approval_ttl: 0", "from 1 to 315360000, not 0"),
    "a time beyond any calendar": ("replan_ttl: 9999999999", "replan_ttl wants a whole number"),
    "a text for a list": ("checklist: plan", "checklist wants a list, not 'plan'"),
    "a number in a list": ("checklist: [a, 2]", "checklist[1] wants a text, not 2"),
    "a list for a table": ("evidence: [a]", "evidence wants a table, not a list"),
    "evidence nowhere": ("evidence: {require_verdict: OK}", "evidence.dirs is missing"),
    "a kind of evidence that is none": (
        "evidence_required: [test]",
        "wants one of tests, build, lint, types, review, not 'test' (did you mean tests?)",
    ),
    "more confidence than there is": ("min_confidence: 101", "a whole number from 0 to 100"),
    "no tool": ("trigger_tools: []", "trigger_tools is empty"),
    "a trigger without a tool": (
        "trigger_tools: [{command_pattern: x}]",
        "trigger_tools[0].tool is missing",
    ),
    "a pattern that does not compile": (
        "trigger_tools: [Edit, {tool: Bash, command_pattern: '('}]",
        "trigger_tools[1].command_pattern '(' is no regular expression: missing )",
    ),
    "a pattern that means something else": (
        "trigger_tools: [{tool: Bash, command_pattern: '[[:alpha:]]'}]",
        "'[[:alpha:]]' is no regular expression",
    ),
    "a skill with a blank": ("satisfied_by_skill: a b", "satisfied_by_skill[0] wants a name"),
    "a skill with a line break": ('auto_resolve_skill: "a\\n"', "auto_resolve_skill wants a name"),
    "a dynamic one that counts nothing": (
        "{type: dynamic, thresholds: {block: 1}}",
        "calculator is missing, and a dynamic requirement needs it",
    ),
    "a dynamic one without thresholds": ("{type: dynamic, calculator: c}", "thresholds is missing"),
    "a dynamic one that never blocks": (
        "{type: dynamic, calculator: c, thresholds: {warn: 1}}",
        "thresholds.block is missing",
    ),
    "a threshold that is no number": (
        "{type: dynamic, calculator: c, thresholds: {block: .inf}}",
        "thresholds.block wants a number, not inf",
    ),
    "a guard without its condition": ("type: guard", "guard_type is missing, and a guard"),
    "a guard of no kind": (
        "{type: guard, guard_type: protected_branches}",
        "guard_type wants one of protected_branch, single_session",
    ),
    "nothing": ("", "wants a table of fields, not nothing"),
    "a switch": ("false", "wants a table of fields, not true or false"),
}


@pytest.mark.promise("G1")
@pytest.mark.parametrize("what", WRONG)
def test_what_is_invalid_is_dropped_with_a_line_that_says_where_and_what(what):
    fields, line = WRONG[what]
    body = {"requirements": {"good": {}, "r": yaml.safe_load(fields), "better": {}}}

    compiled, problems = compile_all([("r.yaml", body)])

    assert list(compiled) == ["good", "better"]
    [(file, told)] = problems
    assert file == "r.yaml"
    assert told.startswith("requirement r: ")
    assert told.endswith("; the requirement is left out")
    assert line in told


@pytest.mark.promise("G1")
def test_an_unknown_field_is_told_with_the_one_that_was_meant_and_opens_no_gate():
    body = {"requirements": {"r": {"satisfied_by_skil": "x", "scope": "branch"}}}

    compiled, problems = compile_all([("r.yaml", body)])

    assert compiled["r"]["scope"] == "branch"
    [(file, told)] = problems
    assert file == "r.yaml"
    assert told == (
        "requirement r: there is no satisfied_by_skil (did you mean satisfied_by_skill?);"
        " it is not read"
    )


@pytest.mark.promise("G1")
def test_a_field_of_another_type_is_told_and_not_read():
    body = {"requirements": {"r": {"calculator": "x"}}}

    compiled, problems = compile_all([("r.yaml", body)])

    assert compiled["r"]["calculator"] == ""
    assert problems == [
        ("r.yaml", "requirement r: calculator counts for dynamic only; it is not read")
    ]


@pytest.mark.parametrize("name", ["a b", "-x", "a;rm", "ä", "", "x" * 65, "a\nb"])
def test_a_name_that_could_not_be_typed_into_a_command_is_refused(name):
    compiled, problems = compile_all([("r.yaml", {"requirements": {name: {}}})])

    assert compiled == {}
    assert "a name has at most 64 letters" in problems[0][1]


def test_a_deprecated_requirement_counts_and_says_what_to_use():
    assert said("{deprecated: true, deprecated_message: use commit_plan}") == [
        "requirement r: is deprecated: use commit_plan"
    ]


def test_a_broken_requirement_that_is_switched_off_is_not_complained_about():
    assert said("{enabled: false, scope: nonsense}") == []


# The cascade


@pytest.mark.promise("G1")
def test_tables_merge_and_lists_are_replaced_and_later_layers_win():
    compiled, problems = compile_all(
        layers(
            "requirements: {r: {scope: branch, checklist: [a, b], evidence: {dirs: [x]}}, u: {}}",
            "requirements: {r: {checklist: [c], evidence: {require_verdict: OK}}}",
            "requirements: {r: {message: local}}",
        )
    )

    assert problems == []
    found = compiled["r"]
    assert (found["scope"], found["checklist"], found["message"]) == ("branch", ["c"], "local")
    assert found["evidence"]["dirs"] == ["x"]
    assert found["evidence"]["require_verdict"] == "OK"
    assert list(compiled) == ["r", "u"]


@pytest.mark.promise("G1")
def test_a_layer_that_does_not_inherit_drops_everything_weaker():
    stack = layers(
        "{requirements: {u: {}}, hooks: {stop: {verify_requirements: false}}}",
        "{inherit: false, requirements: {p: {}}}",
        "requirements: {l: {}}",
    )

    assert list(compile_all(stack)[0]) == ["p", "l"]
    assert options(stack)["hooks"]["stop"]["verify_requirements"] is True


@pytest.mark.promise("G1")
def test_a_stronger_layer_switches_a_requirement_off_and_it_stays_known():
    compiled, _ = compile_all(
        layers("requirements: {a: {}, b: {}}", "requirements: {a: {enabled: false}}")
    )

    assert list(compiled) == ["a", "b"]
    assert list(active(compiled)) == ["b"]


@pytest.mark.promise("G1")
def test_a_file_switches_all_requirements_off():
    compiled, _ = compile_all(layers("requirements: {a: {}}", "enabled: false"))

    assert list(compiled) == ["a"]
    assert active(compiled) == {}


@pytest.mark.promise("G1")
def test_a_problem_names_the_file_that_said_it():
    _, problems = compile_all(
        layers(
            "requirements: {a: {}, b: {message: 3}, d: {type: dynamic}}",
            "requirements: {a: {scope: nonsense}, b: {scope: branch}}",
        )
    )

    assert [(file, line.split(" ")[1:3]) for file, line in problems] == [
        ("project.yaml", ["a:", "scope"]),
        ("user.yaml", ["b:", "message"]),
        ("user.yaml", ["d:", "calculator"]),
        ("user.yaml", ["d:", "thresholds"]),
    ]


def test_each_value_knows_the_file_it_came_from():
    found = origins(
        layers("requirements: {a: {scope: branch, message: m}}", "requirements: {a: {message: n}}")
    )

    assert found["requirements.a.scope"] == "user.yaml"
    assert found["requirements.a.message"] == "project.yaml"


@pytest.mark.promise("G1")
@pytest.mark.parametrize("broken", ["requirements: [a]", "requirements: 3", "requirements: x"])
def test_a_layer_whose_requirements_are_no_table_takes_no_weaker_one_down(broken):
    compiled, problems = compile_all(layers("requirements: {a: {}}", broken))

    assert list(compiled) == ["a"]
    assert problems[0][0] == "project.yaml"
    assert "requirements wants a table of names" in problems[0][1]


def test_a_layer_that_is_empty_says_nothing():
    assert compile_all([("a.yaml", {}), ("b.yaml", {"requirements": None})]) == ({}, [])


def test_a_field_without_a_value_takes_the_default_back():
    compiled, problems = compile_all(
        layers("requirements: {a: {evidence: {dirs: [x]}}}", "requirements: {a: {evidence: }}")
    )

    assert (compiled["a"]["evidence"], problems) == (None, [])


# Everything else in the file


@pytest.mark.promise("G1")
def test_the_hooks_of_the_design_have_their_defaults():
    assert options([]) == {
        "version": "1.0",
        "enabled": True,
        "inherit": True,
        "hooks": {
            "session_start": {
                "inject_context": True,
                "custom_header": "",
                "carry_over": {"enabled": True, "window": 300, "scopes": ["session"]},
            },
            "stop": {"verify_requirements": True, "verify_scopes": ["session"]},
            "session_end": {"clear_session_state": False},
        },
    }


@pytest.mark.promise("G1")
def test_a_hook_setting_that_does_not_fit_keeps_its_default_and_is_told():
    stack = layers(
        "hooks: {stop: {verify_scopes: [sesion]}, session_start: {carry_over: {window: x}}}"
    )

    assert options(stack) == options([])
    assert [line.split(" ")[0] for _, line in compile_all(stack)[1]] == [
        "hooks.session_start.carry_over.window",
        "hooks.stop.verify_scopes[0]",
    ]


@pytest.mark.promise("G1")
def test_what_the_design_has_and_we_do_not_use_is_told_with_the_reason():
    unused = {name for name, field in OPTIONS.items() if field.shape == "unused"}
    hooks = OPTIONS["hooks"].fields
    inner = {f"hooks.{name}" for name, field in hooks.items() if field.shape == "unused"}
    body = {name: {"x": 1} for name in unused}
    body["hooks"] = {name.partition(".")[2]: True for name in inner}

    _, problems = compile_all([("r.yaml", body)])

    assert unused == {"workflow", "logging", "console", "debug", "budgets", "strict_preflight"}
    assert {line.partition(" is understood, not used: ")[0] for _, line in problems} == (
        unused | inner
    )
    assert all(line.partition("not used: ")[2] for _, line in problems)


def test_a_key_that_nobody_reads_is_told_unless_somebody_else_reads_it():
    body = {"requirments": {"a": {}}, "briefing": {}, "briefing.start_tokens": 3}

    _, problems = compile_all([("r.yaml", body)], others={"briefing"})

    assert problems == [
        ("r.yaml", "there is no requirments (did you mean requirements?); it is not read")
    ]


def test_a_version_that_is_unknown_is_told_and_read():
    compiled, problems = compile_all(layers("{version: 2.0, requirements: {a: {}}}"))

    assert list(compiled) == ["a"]
    assert "version 2.0 is unknown" in problems[0][1]


# What a file may do to us


def test_a_file_that_holds_itself_is_read_to_the_depth_of_the_schema():
    body = yaml.safe_load("&all {requirements: {a: *all, b: &b {evidence: *b}}}")

    compiled, problems = compile_all([("r.yaml", body)])

    assert list(compiled) == ["a"]
    assert all(len(line) < 500 for _, line in problems)


def test_a_file_of_a_thousand_requirements_says_so_once():
    body = {"requirements": {f"r{number}": {} for number in range(1000)}}

    compiled, problems = compile_all([("r.yaml", body)])

    assert len(compiled) == REQUIREMENTS_CAP
    assert len(problems) == 1


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(sorted({*FIELDS, *OPTIONS, "a", "tool", "dirs", "block"}))
            | st.integers()
            | st.none(),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(ODD, max_size=3), ODD)
def test_whatever_a_file_holds_a_good_requirement_beside_it_stands(stack, body):
    given_layers = [("first.yaml", {"requirements": {"good": {"scope": "branch"}, "odd": body}})]
    given_layers += [
        (
            "odd.yaml",
            {key: value for key, value in each.items() if key not in ("inherit", "enabled")},
        )
        if isinstance(each, dict)
        else ("odd.yaml", each)
        for each in stack
    ]

    compiled, problems = compile_all(given_layers)

    assert compiled["good"]["scope"] == "branch"
    assert all(set(each) == set(FIELDS) for each in compiled.values())
    assert all(isinstance(file, str) and len(line) < 600 for file, line in problems)
    options(given_layers)


def test_the_rules_load_no_pattern_and_no_yaml_before_they_are_needed():
    script = (
        f"import sys; sys.path.insert(0, {str(SOURCES)!r}); before = set(sys.modules);"
        "import holdfast.config.requirement, holdfast.rooms.gates.scopes;"
        "print({'re', 'yaml', 'difflib', 'typing', 'enum', 'dataclasses'} & set(sys.modules))"
    )
    printed = subprocess.check_output([sys.executable, "-I", "-S", "-c", script], text=True)

    assert printed.strip() == "set()"
