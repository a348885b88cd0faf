"""The summary as a briefing tells it: remarks, each with its priority.

Laws: what the user said is quoted word for word and dated; what was withdrawn is struck from
everything that is quoted; what comes from an agent says so.
"""

from __future__ import annotations

from holdfast.hook import voice
from holdfast.hook.event import (
    CRASH,
    GATES,
    GOAL,
    NEXT,
    NOTICE,
    PINS,
    RULES,
    STOPPED,
    TOPICS,
    Remark,
)
from holdfast.hook.tokens import count
from holdfast.hook.voice import joined, ours, word
from holdfast.redaction.gate import cut
from holdfast.rooms.prompts.attribution import AGENT, PERSON, attributed, goal_title
from holdfast.rooms.work import budget, handoff, other_tools, preamble, run_output
from holdfast.system import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.hook.voice import Ours
    from holdfast.rooms.prompts.queries import GivenPrompt, GivenRule
    from holdfast.rooms.work.preamble import Inheritance
    from holdfast.rooms.work.queries import Handoff, Pin
    from holdfast.rooms.work.summary import Summary

FILES = 12
FAILING = 3
# However many rules there are, they leave room for the goal, the work and the pins.
RULES_TOKENS, NOTES_TOKENS, DEAD_ENDS_TOKENS = 800, 200, 250
PROMPTS_TOKENS, PROMPT_CAP = 400, 560
POINTING = (
    "When the user states a rule or makes a choice that later sessions should know:"
    ' `holdfast remember --rule|--choice --quote "their words"`.'
)
ADVICE = {
    budget.SIGNALS: "Finish what is open before starting anything large.",
    budget.CRITICAL: "A compaction is near: rules, goal and open work are kept and will be told"
    " again.",
}
STRUCK = "[withdrawn]"
COMMAND_CAP = 300
LAST_WORDS = 600


def rules(state: Summary) -> list[Remark]:
    """What the user forbids, demands and corrects, word for word, and what has been tried."""
    notes = [rule for rule in state.rules if rule.author != PERSON]
    return [
        *_quoted(
            ours("Rules the user gave, word for word; they hold until the user withdraws them"),
            [rule for rule in state.rules if rule.author == PERSON],
            RULES_TOKENS,
        ),
        *_quoted(ours("Noted as a rule, and not by the user"), notes, NOTES_TOKENS),
        *_quoted(
            ours("Dead ends the user told of (already tried, did not work)"),
            state.dead_ends,
            DEAD_ENDS_TOKENS,
        ),
    ]


def _quoted(text: Ours, rules: list[GivenRule], tokens: int) -> list[Remark]:
    """The newest of them under a line that says what they are; nothing for none."""
    if not rules:
        return []
    latest = _latest(rules, tokens)
    left = len(rules) - len(latest)
    more = ours(" ({} older ones: see `holdfast rules`)", left) if left else ours("")
    return [rules_remark(ours("{}{}:", text, more), latest)]


def rules_remark(text: Ours, rules: list[GivenRule]) -> Remark:
    """Rules under a line that says what they are, each with its author and its day."""
    return Remark(
        RULES,
        text,
        items=[attributed(rule) for rule in rules],
        rest=ours("see `holdfast rules`"),
        rules=[rule.id for rule in rules],
        item_sources=[f"rule {rule.id}" for rule in rules],
    )


def goal(state: Summary) -> list[Remark]:
    known = state.goal
    if not known:
        return []
    title = ours("{}, set {}Z:", goal_title(known), word(known.at[:16]))
    text = struck(known.goal, state.withdrawn)
    return [Remark(GOAL, title, text, sources=[f"goal {known.id}"])]


def last_prompt(state: Summary) -> list[Remark]:
    """What was asked last, unless that is the goal."""
    last = struck(state.activity.last_prompt, state.withdrawn)
    if not last or (state.goal and _is_in(last, state.goal.goal)):
        return []
    sources = [f"prompt {state.session}"]
    return [Remark(GOAL, ours("The last prompt:"), last, sources=sources)]


def prompts_before(state: Summary, prompts: list[GivenPrompt]) -> list[Remark]:
    """What was said before it, word for word, the newest first, as much as there is room for; not
    the goal once more."""
    items: list[str] = []
    sources: list[str] = []
    tokens = PROMPTS_TOKENS
    for prompt in prompts:
        words = struck(cut(prompt.text, PROMPT_CAP), state.withdrawn)
        if not words or (state.goal and _is_in(words, state.goal.goal)):
            continue
        item = f"{words}  ({prompt.at[:16]}Z)"
        tokens -= count(item) + 2
        if tokens < 0:
            break
        items.append(item)
        sources.append(f"said {prompt.session} {prompt.at}")
    text = ours("The user's prompts before, word for word, the newest first:")
    return [Remark(GOAL, text, items=items, item_sources=sources)] if items else []


def stopped(state: Summary) -> list[Remark]:
    """The agent's own last words, for the session that goes on; what is told as next steps is not
    said twice."""
    text = struck(state.summary, state.withdrawn)
    for step in state.next_steps:
        text = text.replace(step, "")
    short = cut(text, LAST_WORDS)
    if not short.strip(" #*-:.;"):
        return []
    at = word(state.activity.last_prompt_at[:16])
    source = voice.known(state.summary_source, handoff.SOURCES)
    when = ours(" ({}Z)", at) if at else at
    title = ours("Where it stopped, from {}{}:", source, when)
    return [Remark(STOPPED, title, short, sources=[_source(state, state.summary_source)])]


def _source(state: Summary, told_by: str) -> str:
    """Where a text about a session's work came from, as its source is called."""
    if told_by == handoff.GIVEN and state.handoff:
        return _handed(state, state.handoff)
    return f"{'todos' if told_by == handoff.TODOS else 'turn'} {state.session}"


def _handed(state: Summary, given: Handoff) -> str:
    return f"handoff {state.session} {given.at}"


def work(state: Summary, *, is_surfaced: bool = False) -> list[Remark]:
    """What is unfinished: failing commands, then next steps by whoever named them. The agent's own
    tasks among them are counted where they are surfaced in another session."""
    remarks = []
    for check in state.failing[:FAILING]:
        is_last = state.last_command and state.last_command.command == check.command
        text = ours(
            "{} ({}Z{}): {}",
            ours("Last command, which failed" if is_last else "Failed when last run"),
            word(check.at[:16]),
            ours("; files were edited since" if check.is_edited_since else ""),
            voice.code(check.command, COMMAND_CAP),
        )
        lines = "\n".join(run_output.telling_lines(check.says))
        remarks.append(Remark(NEXT, text, lines, sources=[f"run {state.session} {check.at}"]))
    gone = state.withdrawn
    steps = all_struck(state.next_steps, gone)
    if steps:
        many = len(steps) if is_surfaced and state.next_source == handoff.TODOS else 0
        title = ours("Next steps, from {}:", voice.known(state.next_source, handoff.SOURCES))
        sources = [_source(state, state.next_source)]
        remarks.append(Remark(NEXT, title, items=steps, tasks=many, sources=sources))
    given = state.handoff
    if given:
        for title, texts in (
            (ours("Blockers, from the handoff:"), given.blockers),
            (ours("Open questions, from the handoff:"), given.questions),
        ):
            items = all_struck(texts, gone)
            if items:
                remarks.append(Remark(NEXT, title, items=items, sources=[_handed(state, given)]))
    return remarks


def list_before(state: Summary) -> list[Remark]:
    """What is left on a list that an earlier session made, and this one took over."""
    left = state.list_before
    if left is None:
        return []
    titles = all_struck([todo.title for todo in left.todos], state.withdrawn)
    text = ours("Left to do on the list of session {}:", word(left.session[:8]))
    sources = [f"todos {left.session}"]
    return [Remark(NEXT, text, items=titles, sources=sources)] if titles else []


def queue(state: Summary) -> list[Remark]:
    """Work that turned up; what is told as a failing command is not told twice."""
    failing = {f"`{command.command}` fails" for command in state.failing[:FAILING]}
    items = [item.description for item in state.queue if item.description not in failing]
    sources = [f"session {state.session}"]
    text = ours("Also come across:")
    return [Remark(NEXT, text, items=items, sources=sources)] if items else []


def helpers(state: Summary, root: str) -> list[Remark]:
    """The calls that bring other tools' state back, where there is something to come back to."""
    lines = [
        other_tools.revival(name, value)
        for name, value in state.helpers
        if other_tools.is_there(name, value, root)
    ]
    text = ours("To bring other tools' state back: {}.", joined("; ", lines))
    return [Remark(NEXT, text, sources=[f"session {state.session}"])] if lines else []


def pins(state: Summary) -> list[Remark]:
    pins = sorted(state.pins, key=lambda pin: not pin.critical)
    return [pins_remark(ours("Pinned:"), pins, ours("see `holdfast pins`"))] if pins else []


def pins_remark(text: Ours, pins: list[Pin], rest: Ours) -> Remark:
    """Pins under a line that says what they are."""
    return Remark(
        PINS,
        text,
        items=[pinned(pin) for pin in pins],
        rest=rest,
        item_sources=[f"pin {pin.id}" for pin in pins],
    )


def pinned(pin: Pin) -> str:
    name = f"{pin.label}: " if pin.label else ""
    mark = "CRITICAL " if pin.critical and "CRITICAL" not in f"{name}{pin.content}" else ""
    where = f" [inherited from {pin.source[:8]} @ {pin.at[:16]}Z]" if pin.source else ""
    whose = " (pinned by an agent)" if pin.author == AGENT else ""
    return f"{mark}{name}{pin.content}{where}{whose}"


def files(state: Summary) -> list[Remark]:
    changed = [(path, ours("created")) for path in state.created]
    changed += [(path, ours("edited")) for path in state.edited]
    remarks = []
    if changed:
        names = joined(
            ", ", (ours("{} ({})", voice.named(path), how) for path, how in changed[:FILES])
        )
        more = len(changed) - FILES
        rest = ours(", and {} more", more) if more > 0 else ours("")
        text = ours("Files changed: {}{}.", names, rest)
        remarks.append(Remark(TOPICS, text, sources=[f"session {state.session}"]))
    last = state.last_command
    if last and last.ok:
        text = ours("Last command, which succeeded: {}", voice.code(last.command))
        remarks.append(Remark(TOPICS, text, sources=[f"run {state.session} {last.at}"]))
    return remarks


def read_files(state: Summary) -> list[Remark]:
    """Tier 2: worth a line while the session before is hardly over."""
    if not state.read:
        return []
    text = ours("Files read: {}.", joined(", ", map(voice.named, state.read[:FILES])))
    return [Remark(TOPICS, text, sources=[f"session {state.session}"])]


def inherited(left: Inheritance, sources: list[str], *, is_surfaced: bool) -> list[Remark]:
    """The preamble's sections, each where its urgency puts it; its header opens the first."""
    order = {"header": CRASH, "tasks": NEXT, "pins": PINS, "projects": TOPICS, "topics": TOPICS}
    parts = sorted(preamble.preamble(left), key=lambda part: order[part.name])
    header = [parts.pop(0).text] if parts and parts[0].name == "header" else []
    remarks = []
    for part in parts:
        text = joined("\n", [*header, part.text])
        many = preamble.count_tasks(left) if is_surfaced and part.name == "tasks" else 0
        remarks.append(
            Remark(order[part.name], text, items=part.items, tasks=many, sources=sources)
        )
        header = []
    return remarks


def pointing() -> list[Remark]:
    """When to point at what the user said; only where the command can be run."""
    return [Remark(NOTICE, ours(POINTING))] if paths.on_path("holdfast") else []


def phase(name: str, tokens: int, window: int) -> Remark:
    percent = tokens * 100 // window if window else 0
    text = ours(
        "Context phase {}: {} % of {} tokens in use. {}",
        word(name),
        percent,
        window,
        ours(ADVICE[name]),
    )
    return Remark(GATES, text)


def struck(text: str, withdrawn: list[str]) -> str:
    """A quotation without the rules in it that no longer hold."""
    for rule in withdrawn:
        if rule and rule in text:
            text = text.replace(rule, STRUCK)
    return text if text.replace(STRUCK, "").strip(" .,;:\n") else ""


def all_struck(texts: list[Any], withdrawn: list[str]) -> list[str]:
    """Quotations of which something is left."""
    quoted = [struck(text, withdrawn) for text in texts if isinstance(text, str)]
    return [text for text in quoted if text]


def _latest(rules: list[GivenRule], tokens: int) -> list[GivenRule]:
    """The newest rules first, as many as that; at least one."""
    latest: list[GivenRule] = []
    for rule in reversed(rules):
        tokens -= count(attributed(rule)) + 2
        if latest and tokens < 0:
            break
        latest.append(rule)
    return latest


def _is_in(text: str, whole: str) -> bool:
    return " ".join(text.split()) in " ".join(whole.split())
