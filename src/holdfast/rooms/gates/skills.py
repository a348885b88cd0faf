"""Which skill satisfies which requirement."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.config.requirement_type import Requirement

# Skills that teams have for these names; what a configuration says comes on top.
USUAL = {
    "arch-review": ("commit_plan", "adr_reviewed", "tdd_planned", "solid_reviewed"),
    "deep-review": ("pre_pr_review",),
    "pre-commit": ("pre_commit_review",),
    "brainstorming": ("design_approved",),
    "writing-plans": ("plan_written", "commit_plan"),
    "verification-before-completion": ("verification_evidence",),
}


def satisfies(skill: str, name: str, requirement: Requirement) -> bool:
    """Whether a skill that was run satisfies a requirement: by its whole name, or by its name
    without the plugin that brought it."""
    if requirement["type"] == "guard":
        return False
    run = _names(skill)
    named = [*requirement["satisfied_by_skill"], *_usual(name)]
    return any(_names(each) & run for each in named)


def _usual(name: str) -> list[str]:
    return [skill for skill, names in USUAL.items() if name in names]


def _names(skill: str) -> set[str]:
    bare = skill.strip().lstrip("/").lower()
    return {bare, bare.rpartition(":")[2]} if ":" in bare else {bare}
