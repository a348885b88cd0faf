from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import yaml

from holdfast.config import requirement_type
from holdfast.config.requirement import (
    ACTION,
    FIELDS,
    OPTIONS,
    SCOPES,
    TRIGGER,
    TYPES,
    compile_all,
)
from holdfast.config.settings import SETTINGS
from holdfast.rooms.gates.presets import PRESETS, schema, schema_text

FILE = Path(__file__).parents[3] / "docs" / "requirements.schema.json"
OTHERS = {name.partition(".")[0] for name in SETTINGS}


def fits(value: Any, wanted: Any) -> bool:
    """A checker of as much of JSON Schema as ours uses; what it does not know it refuses."""
    if wanted is False:
        return False
    if "$ref" in wanted:
        name = wanted["$ref"].removeprefix("#/$defs/")
        return fits(value, schema()["$defs"][name])
    known = {"$schema", "$defs", "title", "description", "default", "if", "then"} | set(CHECKS)
    assert set(wanted) <= known, set(wanted) - known
    if "if" in wanted and fits(value, wanted["if"]) and not fits(value, wanted["then"]):
        return False
    return all(CHECKS[key](value, wanted[key], wanted) for key in wanted if key in CHECKS)


def is_a(value: Any, kind: Any) -> bool:
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool}
    if isinstance(kind, list):
        return any(is_a(value, each) for each in kind)
    if kind in ("integer", "number"):
        return type(value) is int or (kind == "number" and type(value) is float)
    return isinstance(value, kinds[kind])


def compiles(pattern: str) -> bool:
    try:
        return bool(re.compile(pattern)) or True
    except re.error:
        return False


CHECKS = {
    "type": lambda value, kind, _: is_a(value, kind),
    "enum": lambda value, those, _: value in those,
    "const": lambda value, that, _: value == that,
    "anyOf": lambda value, those, _: any(fits(value, each) for each in those),
    "allOf": lambda value, those, _: all(fits(value, each) for each in those),
    "required": lambda value, names, _: not isinstance(value, dict) or set(names) <= set(value),
    "properties": lambda value, names, _: (
        not isinstance(value, dict)
        or all(fits(value[name], each) for name, each in names.items() if name in value)
    ),
    "propertyNames": lambda value, wanted, _: all(fits(name, wanted) for name in value),
    "additionalProperties": lambda value, wanted, whole: (
        not isinstance(value, dict)
        or all(
            fits(each, wanted)
            for name, each in value.items()
            if name not in whole.get("properties", {})
        )
    ),
    "items": lambda value, wanted, _: (
        not isinstance(value, list) or all(fits(each, wanted) for each in value)
    ),
    "minItems": lambda value, least, _: not isinstance(value, list) or len(value) >= least,
    "maxItems": lambda value, most, _: not isinstance(value, list) or len(value) <= most,
    "minLength": lambda value, least, _: not isinstance(value, str) or len(value) >= least,
    "maxLength": lambda value, most, _: not isinstance(value, str) or len(value) <= most,
    "minimum": lambda value, least, _: not is_a(value, "number") or value >= least,
    "maximum": lambda value, most, _: not is_a(value, "number") or value <= most,
    "pattern": lambda value, pattern, _: not isinstance(value, str) or re.search(pattern, value),
    "format": lambda value, _, __: not isinstance(value, str) or compiles(value),
}


@pytest.mark.promise("G1")
def test_the_schema_in_the_documents_is_the_one_that_the_table_makes():
    assert FILE.read_text() == schema_text(), (
        "write it anew: python -c 'from holdfast.rooms.gates import presets;"
        ' print(presets.schema_text(), end="")\' > docs/requirements.schema.json'
    )


def test_the_schema_says_which_draft_it_is_and_is_json():
    said = json.loads(schema_text())

    assert said["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert said == schema()


@pytest.mark.promise("G1")
def test_the_schema_explains_every_field_that_is_read():
    properties = schema()["$defs"]["requirement"]["properties"]

    assert set(properties) == set(FIELDS)
    assert all(each["description"] for each in properties.values())
    assert set(OPTIONS) <= set(schema()["properties"])


@pytest.mark.promise("G1")
@pytest.mark.parametrize("name", list(PRESETS))
def test_a_preset_is_read_without_a_word_and_fits_the_schema(name):
    content = yaml.safe_load(PRESETS[name])

    compiled, problems = compile_all([(name, content)])

    assert problems == []
    assert set(compiled) == set(content["requirements"])
    assert fits(content, schema())


def test_a_preset_explains_itself_and_fits_a_terminal():
    for text in PRESETS.values():
        assert text.startswith("# Requirements, preset ")
        assert all(len(line) <= 100 for line in text.splitlines())
        for found in re.finditer(r"\n\n  (\S.*)", text):
            assert found[1].startswith("#"), found[1]


def test_a_preset_demands_nothing_that_an_agent_cannot_be_told():
    for text in PRESETS.values():
        compiled, _ = compile_all([("preset", yaml.safe_load(text))])
        assert all(each["message"] or each["blocking_message"] for each in compiled.values())


def test_the_advanced_preset_shows_every_type_and_every_scope():
    compiled, _ = compile_all([("advanced", yaml.safe_load(PRESETS["advanced"]))])

    assert {each["type"] for each in compiled.values()} == set(TYPES)
    assert {each["scope"] for each in compiled.values()} == set(SCOPES)


GOOD = [
    "{}",
    "version: '1.0'",
    "{version: 1, enabled: false, inherit: false}",
    "briefing: {start_tokens: 800}",
    "briefing.start_tokens: 800",
    "requirements: {}",
    "requirements: {a: {}}",
    "requirements: {a: {enabled: false}}",
    "requirements: {a: {trigger_tools: [Edit, {tool: Bash, command_pattern: 'git push'}]}}",
    "requirements: {a: {trigger_tools: [{tool: Edit, paths: 'src/**'}]}}",
    "requirements: {a: {trigger: push}}",
    "requirements: {a: {trigger: [push, {action: commit, amend: true}], opaque: ask}}",
    "requirements: {a: {trigger: {action: push, branch: [main, 'release/*'], force: true}}}",
    "requirements: {a: {trigger: {action: write, pattern: 'x+', path: 'src/**'}}}",
    "requirements: {a: {satisfied_by_skill: /a:b, checklist: [x]}}",
    "requirements: {a: {satisfied_by_skill: [a, b]}}",
    "requirements: {a: {evidence: {dirs: [x], max_age_seconds: 1}}}",
    "requirements: {a: {evidence_required: [tests, types], min_confidence: 0}}",
    "requirements: {a: {type: dynamic, calculator: c, thresholds: {block: 1.5}}}",
    "requirements: {a: {type: guard, guard_type: single_session}}",
    "hooks: {session_start: {carry_over: {window: 0, scopes: []}}}",
    "hooks: {stop: {verify_scopes: [branch, single_use]}}",
]
BAD = [
    "enabled: 1",
    "inherit: maybe",
    "requirments: {}",
    "requirements: []",
    "requirements: {a: []}",
    "requirements: {'a b': {}}",
    "requirements: {a: {scope: sesion}}",
    "requirements: {a: {type: hard}}",
    "requirements: {a: {messages: x}}",
    "requirements: {a: {message: 3}}",
    "requirements: {a: {short_message: " + "x" * 201 + "}}",
    "requirements: {a: {checklist: x}}",
    "requirements: {a: {checklist: ['']}}",
    "requirements: {a: {trigger_tools: []}}",
    "requirements: {a: {trigger_tools: [{command_pattern: x}]}}",
    "requirements: {a: {trigger_tools: [{tool: Bash, comand_pattern: x}]}}",
    "requirements: {a: {trigger_tools: [{tool: Bash, command_pattern: '('}]}}",
    "requirements: {a: {satisfied_by_skill: 'a b'}}",
    "requirements: {a: {trigger: []}}",
    "requirements: {a: {trigger: pushes}}",
    "requirements: {a: {trigger: {branch: main}}}",
    "requirements: {a: {trigger: {action: push, branches: main}}}",
    "requirements: {a: {trigger: {action: push, force: 1}}}",
    "requirements: {a: {trigger: {action: write, pattern: '('}}}",
    "requirements: {a: {trigger: {action: push, amend: true}}}",
    "requirements: {a: {opaque: refuse}}",
    "requirements: {a: {approval_ttl: 0}}",
    "requirements: {a: {approval_ttl: 1.5}}",
    "requirements: {a: {min_confidence: -1}}",
    "requirements: {a: {evidence_required: [hope]}}",
    "requirements: {a: {evidence: {dirs: []}}}",
    "requirements: {a: {type: blocking, evidence: {require_verdict: x}}}",
    "requirements: {a: {type: blocking, calculator: x}}",
    "requirements: {a: {type: dynamic, thresholds: {block: 1}}}",
    "requirements: {a: {type: dynamic, calculator: c, thresholds: {warn: 1}}}",
    "requirements: {a: {type: dynamic, calculator: c, thresholds: {block: x}}}",
    "requirements: {a: {type: guard}}",
    "requirements: {a: {type: guard, guard_type: dog}}",
    "requirements: {a: {type: guard, guard_type: single_session, stop_only: true}}",
    "hooks: {stop: {verify_scope: [session]}}",
    "hooks: {session_start: {carry_over: {window: -1}}}",
    "hooks: {session_start: {carry_over: {scopes: [branch]}}}",
]


@pytest.mark.promise("G1")
@pytest.mark.parametrize("text", GOOD)
def test_an_editor_and_holdfast_agree_on_what_is_good(text):
    content = yaml.safe_load(text)

    assert compile_all([("r.yaml", content)], others=OTHERS)[1] == []
    assert fits(content, schema())


@pytest.mark.promise("G1")
@pytest.mark.parametrize("text", BAD)
def test_an_editor_and_holdfast_agree_on_what_is_bad(text):
    content = yaml.safe_load(text)

    assert compile_all([("r.yaml", content)], others=OTHERS)[1] != []
    assert not fits(content, schema())


def test_the_types_of_a_requirement_name_every_field_that_is_read():
    read = {
        requirement_type.Requirement: FIELDS,
        requirement_type.Trigger: {**TRIGGER.fields, "literals": None},
        requirement_type.ActionTrigger: ACTION.fields,
        requirement_type.EvidenceFile: FIELDS["evidence"].fields,
        requirement_type.Thresholds: FIELDS["thresholds"].fields,
    }
    for described, fields in read.items():
        assert set(get_type_hints(described)) == set(fields), described.__name__
