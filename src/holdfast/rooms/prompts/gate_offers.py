"""The gate that a rule could be, offered to the person in a sentence.

Laws: it is told to the person and to no model; a rule that fits no template is offered nothing;
what the rule's words brought along is shown as theirs.
"""

from __future__ import annotations

from holdfast.agents import surroundings
from holdfast.hook.voice import Ours, code, joined, ours, word
from holdfast.rooms.prompts import templates
from holdfast.rooms.prompts.templates import PROVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.prompts.templates import Action, Proposal

ACTS = {
    "commit": "`git commit`",
    "commit amend": "`git commit --amend`",
    "push": "`git push`",
    "push force": "`git push --force`",
    "add": "`git add`",
    "reset_hard": "`git reset --hard`",
    "stash": "`git stash`",
    "revert": "`git revert`",
    "rebase": "`git rebase`",
    "switch_branch": "a change of the branch",
    "delete_recursive": "deleting a folder",
    "edit_files": "an edit",
    "run_tests": "a test run",
    "install_dependency": "a new dependency",
    "publish_package": "publishing a package",
    "drop_database_object": "dropping a part of the database",
    "migrate_database": "a migration of the database",
    "deploy": "a deployment",
    "pull_request create": "opening a pull request",
    "pull_request merge": "merging a pull request",
    "pull_request comment": "a comment on a pull request",
    "remote": "a connection to another machine",
    "subagent": "a subagent",
    "write": "writing",
}
# What an argument adds, and what it adds turned around.
ADDS = {
    "branch": "{} to {}",
    "path": "{} of {}",
    "flags": "{} with {}",
    "message": "{} whose message has {}",
    "pattern": "{} {}",
    "model": "{} by {}",
}
TURNED = {
    "branch": "{} to another branch than {}",
    "path": "{} outside of {}",
    "flags": "{} without {}",
    "message": "{} whose message does not begin like {}",
    "pattern": "{} anything but {}",
    "model": "{} by another model than {}",
}
NEEDS = {
    "tests": "a passing test run",
    "lint": "a clean lint run",
    "types": "a clean type check",
    "build": "a build that succeeds",
}
SHORT = 6  # characters of an id
SHOWN_AS = {templates.CONVENTIONAL[1:]: "feat: ..."}


def offer(id_: str, text: str) -> Ours | None:
    """The sentence, with the command that makes the gate; None where no template fits."""
    proposal = templates.propose(text)
    if proposal is None:
        return None
    command = ours("`holdfast rules enforce {}`", word(id_[:SHORT]))
    return ours("Make it hold? {}: {}.", sentence(proposal), command)


def sentence(proposal: Proposal, *, asks: bool = True) -> Ours:
    """What a gate does."""
    agent = word(surroundings.AGENTS[0].CALLED)
    if proposal.kind == PROVE:
        return ours("Before {} {} will need {}", shown(proposal), agent, needs(proposal))
    does = ours("have to ask you" if asks else "be refused")
    return ours("Before {} {} will {}", shown(proposal), agent, does)


def shown(proposal: Proposal) -> Ours:
    """What a gate stands before."""
    return joined(" or ", map(_act, proposal.actions))


def needs(proposal: Proposal) -> Ours:
    """What has to be there before it."""
    demand = proposal.demand
    if "evidence_first" in demand:
        return ours("a change of the tests")
    skills = [ours("the skill {}", code(name)) for name in _texts(demand, "satisfied_by_skill")]
    kinds = [ours(NEEDS[kind]) for kind in _texts(demand, "evidence_required")]
    runs = [code(command) for command in _texts(demand, "evidence_runs")]
    return joined(" and ", [*skills, *kinds, *runs])


def _texts(table: Action, name: str) -> list[str]:
    texts = table.get(name, [])
    return texts if isinstance(texts, list) else [str(texts)]


def _act(action: Action) -> Ours:
    name = str(action["action"])
    if name == "run":
        return joined(" or ", map(code, _texts(action, "program")))
    if action.get("draft") is False:
        return ours("opening a pull request that is no draft")
    flag = next((each for each, value in action.items() if value is True), "")
    text = ours(ACTS[f"{name} {flag}".strip()])
    for argument in (each for each in ADDS if each in action):
        values = _texts(action, argument)
        bare = [value.removeprefix("!") for value in values[:2]]
        names = joined(", ", [code(SHOWN_AS.get(value, value)) for value in bare])
        is_turned = values[0].startswith("!")
        text = ours(TURNED[argument] if is_turned else ADDS[argument], text, names)
    return text
