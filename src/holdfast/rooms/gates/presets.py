"""Requirements to begin with, and the schema that helps an editor to write them.

A preset is a text that a team reads, keeps and changes. The schema is made from the same table of
fields that reads the files, so an editor and Holdfast do not disagree.
"""

from __future__ import annotations

import json

from holdfast.agents import surroundings
from holdfast.config.field import FILLED, WORD, Field
from holdfast.config.requirement import FIELDS, OPTIONS, TYPES
from holdfast.config.settings import SETTINGS

Schema = dict[str, object]  # a JSON schema, or a part of one

PROTECTED = """\
protected_branch:
    type: guard
    guard_type: protected_branch
    protected_branches: [main, master]
    message: Make a branch of your own first, then edit there.
"""


def _filled(preset: str) -> str:
    """A preset with what all of them have, and with the folder of the agent's plans."""
    return preset.replace("PROTECTED\n", PROTECTED).replace("PLANS", surroundings.PLANS[0])


MINIMAL = _filled("""\
# Requirements, preset minimal: one guard, nothing to satisfy.
requirements:
  # Work happens on a branch of its own. The person can let a session pass:
  #   holdfast req approve protected_branch
  PROTECTED
""")

RELAXED = _filled("""\
# Requirements, preset relaxed: think before the first edit, prove it before the end.
# Nothing here stops a commit.
requirements:
  # Edits on these branches are refused.
  PROTECTED

  # Once in every session, before its first edit. Name the skill that your team plans with;
  # without one the person confirms: holdfast req satisfy commit_plan
  commit_plan:
    scope: session
    satisfied_by_skill: plan
    message: Say what you are going to change, and in which steps, before you change it.
    short_message: a plan of the change
    checklist:
      - The files that will change are named
      - Each step leaves the tests passing

  # Asked for when the agent wants to stop after an edit; it refuses no edit.
  verification_evidence:
    scope: session
    stop_only: true
    evidence_required: [tests]
    message: The tests have not passed since the last edit. Run them.
    short_message: run the tests
""")

STRICT = _filled("""\
# Requirements, preset strict: plan, review each commit, review the whole, prove it.
# The skills plan and code-review stand for the ones that your team has: change the names.
requirements:
  # Edits on these branches are refused.
  PROTECTED
    for_subagents: true

  # Two agents in one working tree undo each other's edits.
  single_session:
    type: guard
    guard_type: single_session
    message: Another session is at work in this project. Use a worktree, or wait for its end.

  # Once in every session, before its first edit, and with a written plan: a file in one of these
  # folders that has the marker, and a section "## Verdict" that says APPROVED. Good for a day.
  commit_plan:
    scope: session
    satisfied_by_skill: plan
    replan_ttl: 86400
    message: Write down what you are going to change, and in which steps, and have it reviewed.
    short_message: a reviewed plan of the change
    checklist:
      - The files that will change are named
      - Each step leaves the tests passing
      - What could break, and how it would be noticed
    evidence:
      dirs: [PLANS, docs/plans]
      require_markers: ["## Plan"]
      require_verdict: APPROVED
      max_age_seconds: 86400

  # Before every single commit: the commit that was reviewed uses the review up.
  pre_commit_review:
    scope: single_use
    trigger_tools:
      - tool: Bash
        command_pattern: '\\bgit\\s+commit\\b'
    satisfied_by_skill: code-review
    message: Review the staged change before it is committed.
    short_message: review the staged change

  # Before a pull request: the branch as a whole.
  pre_pr_review:
    scope: single_use
    trigger_tools:
      - tool: Bash
        command_pattern: '\\bgh\\s+pr\\s+create\\b'
    satisfied_by_skill: code-review
    message: Review everything that this branch changes before others are asked to.
    short_message: review the branch

  # Asked for when the agent wants to stop after an edit.
  verification_evidence:
    scope: session
    stop_only: true
    evidence_required: [tests, lint]
    message: Tests and lint have not passed since the last edit. Run both.
    short_message: run the tests and the linter

hooks:
  stop:
    verify_requirements: true
    verify_scopes: [session, single_use]
""")

ADVANCED = """\
# Requirements, preset advanced: every type and every scope once, to take what you need from.
# The skills that are named stand for the ones that your team has: change the names.
requirements:
  # guard: a condition. Nobody satisfies it; a person may approve, for approval_ttl seconds.
  protected_branch:
    type: guard
    guard_type: protected_branch
    protected_branches: [main, master, production]
    approval_ttl: 900
    for_subagents: true
    message: Make a branch of your own first, then edit there.

  # dynamic: a number. Counted anew when it is older than cache_ttl seconds.
  branch_size:
    type: dynamic
    scope: session
    calculator: branch_size
    thresholds:
      warn: 250
      block: 400
    cache_ttl: 60
    approval_ttl: 3600
    blocking_message: |
      This branch changes {total} lines against {base_branch}; {block_threshold} is the limit.
      {summary}
      Commit what is done and propose it; then go on from a fresh branch.

  # scope session: once in every session. A session that was cleared hands it on, see carry_over.
  commit_plan:
    scope: session
    satisfied_by_skill: [plan, arch-review]
    auto_resolve_skill: plan
    description: A change is thought through before it is made.
    message: Say what you are going to change, and in which steps, before you change it.
    short_message: a plan of the change
    checklist:
      - The files that will change are named
      - Each step leaves the tests passing

  # scope branch: once for a branch, until somebody clears it. Only some paths ask for it.
  migration_reviewed:
    scope: branch
    trigger_tools:
      - tool: Edit
        paths: ["migrations/**", "schema.sql"]
      - tool: Write
        paths: ["migrations/**", "schema.sql"]
    message: Changes to the database are agreed with the person first.
    checklist:
      - It can be rolled back
      - Old and new code both work while it runs

  # scope single_use: one action uses it up.
  pre_push_review:
    scope: single_use
    trigger_tools:
      - tool: Bash
        command_pattern: '\\bgit\\s+push\\b'
    satisfied_by_skill: code-review
    evidence_required: [tests, lint, types]
    min_confidence: 70
    message: Before a push the change is reviewed, and its checks have passed.
    short_message: review, tests, lint, types

  # scope permanent: once for good.
  security_audit_passed:
    scope: permanent
    enabled: false  # switch it on once there is an audit to ask for
    satisfied_by_skill: security-review
    message: This project is audited before it is changed.

  # stop_only: refuses no edit, and is asked for at the end.
  verification_evidence:
    scope: session
    stop_only: true
    evidence_required: [tests, build, lint]
    message: Not everything has passed since the last edit.
    short_message: run tests, build and lint

hooks:
  session_start:
    inject_context: true
    carry_over:
      enabled: true
      window: 300  # seconds since it was satisfied
      scopes: [session]
  stop:
    verify_requirements: true
    verify_scopes: [session, single_use]
  session_end:
    clear_session_state: false
"""

PRESETS: dict[str, str] = {
    "strict": STRICT,
    "relaxed": RELAXED,
    "minimal": MINIMAL,
    "advanced": ADVANCED,
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
    requirement = {**_of_table(FIELDS), "allOf": [_of_type(kind) for kind in TYPES]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Requirements of Holdfast",
        **_table_with(properties),
        "$defs": {"requirement": requirement},
    }


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
