"""Requirements to begin with, and the schema that helps an editor to write them.

A preset is a text that a team reads, keeps and changes; they lie in `preset_texts/`. The schema is
made from the same table of fields that reads the files, so an editor and Holdfast do not disagree.
"""

from __future__ import annotations

import json
from pathlib import Path

from holdfast.agents import surroundings
from holdfast.config.field import FILLED, WORD, Field
from holdfast.config.requirement import ACTION, FIELDS, OPTIONS, TYPES
from holdfast.config.settings import SETTINGS
from holdfast.rooms.gates.actions.vocabulary import ACTIONS, arguments_of

Schema = dict[str, object]  # a JSON schema, or a part of one

TEXTS = Path(__file__).with_name("preset_texts")
NAMES = ("strict", "relaxed", "minimal", "tested", "advanced")
# With the folder of the agent's plans.
PRESETS = {
    name: (TEXTS / f"{name}.yaml").read_text("utf-8").replace("PLANS", surroundings.PLANS[0])
    for name in NAMES
}


def schema_text() -> str:
    """docs/requirements.schema.json, to the byte."""
    return f"{json.dumps(schema(), indent=2, ensure_ascii=False)}\n"


def schema() -> Schema:
    """The JSON schema (draft 2020-12) of a file that holds requirements.

    One file is one layer: it may leave to a weaker one what a requirement needs. So a field is
    missing only where the file itself says the type.
    """
    properties = {name: _of_field(field) for name, field in OPTIONS.items()}
    # The same file may hold settings of Holdfast, which have their own table.
    for name in SETTINGS:
        properties.setdefault(name.partition(".")[0], {})
        properties.setdefault(name, {})
    properties["requirements"] = {
        "description": OPTIONS["requirements"].help,
        "type": "object",
        "propertyNames": {"pattern": "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$"},
        "additionalProperties": {"$ref": "#/$defs/requirement"},
    }
    fields = {name: _of_field(field) for name, field in FIELDS.items()}
    trigger: Schema = {"anyOf": [{"enum": list(ACTIONS)}, *map(_of_action, ACTIONS)]}
    many: Schema = {"type": "array", "items": trigger}
    many |= _bounds(FIELDS["trigger"], "minItems", "maxItems")
    fields["trigger"] = {"description": FIELDS["trigger"].help, "anyOf": [trigger, many]}
    requirement = {**_table_with(fields), "allOf": [_of_type(kind) for kind in TYPES]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Requirements of Holdfast",
        **_table_with(properties),
        "$defs": {"requirement": requirement},
    }


def _of_action(action: str) -> Schema:
    """An action with the arguments that it has."""
    fields = ACTION.fields or {}
    properties: dict[str, Schema] = {name: _of_field(fields[name]) for name in arguments_of(action)}
    table = _table_with({"action": {"const": action}, **properties})
    return table | {"required": ["action"]}


def _of_type(kind: str) -> Schema:
    """What a file that says this type must hold, and may not."""
    counting = {name: each for name, each in FIELDS.items() if not each.types or kind in each.types}
    inner = {
        name: {"required": needed}
        for name, each in counting.items()
        if (needed := _required(each.fields or {}))
    }
    return {
        "if": {"properties": {"type": {"const": kind}}, "required": ["type"]},
        "then": {
            "required": _required(counting),
            "properties": {**inner, **{name: False for name in FIELDS if name not in counting}},
        },
    }


def _required(fields: dict[str, Field]) -> list[str]:
    return [name for name, field in fields.items() if field.required]


def _of_table(fields: dict[str, Field]) -> Schema:
    return _table_with({name: _of_field(field) for name, field in fields.items()})


def _table_with(properties: dict[str, Schema]) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _of_field(field: Field) -> Schema:
    if field.shape == "unused":
        return {"description": f"Understood, not used: {field.help}."}
    described: Schema = {"description": field.help} if field.help else {}
    made = _of_shape(field)
    if field.default is not FILLED and field.default not in (None, ""):
        described["default"] = field.default
    return {**described, **made}


def _of_shape(field: Field) -> Schema:
    if field.shape == "list" and field.item:
        many: Schema = {"type": "array", "items": _of_field(field.item)}
        bounded = many | _bounds(field, "minItems", "maxItems")
        return {"anyOf": [_of_field(field.item), bounded]} if field.single else bounded
    if field.shape == "table":
        fields = field.fields or {}
        table = _of_table(fields)
        if not field.bare:
            return table
        # An item of a list is never spread over layers: what it needs it has here.
        return {"anyOf": [_of_field(fields[field.bare]), table | {"required": _required(fields)}]}
    if field.shape == "choice":
        return {"enum": list(field.choices)}
    kinds: Schema = {"flag": "boolean", "whole": "integer", "number": "number"}
    kinds["version"] = ["string", "number"]
    made: Schema = {"type": kinds.get(field.shape, "string")}
    if field.shape in ("whole", "number"):
        return made | _bounds(field, "minimum", "maximum")
    if field.shape == "word":
        made["pattern"] = WORD
    elif field.shape == "pattern":
        made["format"] = "regex"
    return made | _bounds(field, "minLength", "maxLength")


def _bounds(field: Field, least: str, most: str) -> dict[str, int]:
    bounds = {}
    if field.least is not None:
        bounds[least] = field.least
    if field.most is not None:
        bounds[most] = field.most
    return bounds
