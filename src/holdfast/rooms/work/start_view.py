"""The summary as a briefing tells it: remarks, each with its priority.

Laws: what the user said is quoted word for word and dated; what was withdrawn is struck from
everything that is quoted; what comes from an agent says so.
"""

from __future__ import annotations

from holdfast.hook.briefing import count, inline
from holdfast.hook.event import GATES, GOAL, NEXT, NOTICE, PINS, RULES, STOPPED, TOPICS, Remark
from holdfast.redaction.gate import cut
from holdfast.rooms.prompts.attribution import PERSON, attributed, goal_title
from holdfast.rooms.work import budget, handoff, other_tools, preamble, run_output
from holdfast.rooms.work.last_words import condensed
from holdfast.system import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.rooms.prompts.queries import GivenRule
    from holdfast.rooms.work.preamble import Inheritance
    from holdfast.rooms.work.queries import Pin
    from holdfast.rooms.work.summary import Summary

FILES = 12
FAILING = 3
# However many rules there are, they leave room for the goal, the work and the pins.
RULES_TOKENS, NOTES_TOKENS, DEAD_ENDS_TOKENS, HEARD_TOKENS = 800, 200, 250, 400
POINTING = (
    "When the user states a rule or makes a choice that later sessions should know:"
    ' `holdfast remember --rule|--choice --quote "their words"`.'
)
STRUCK = "[withdrawn]"
LAST_WORDS, LAST_WORDS_SHORT = 600, 240


def rules(state: Summary) -> list[Remark]:
    """What the user forbids, demands and corrects, word for word; what has been tried; and what
    was said in this very session and only sounds like a rule."""
    notes = [rule for rule in state.rules if rule.author != PERSON]
    return [
        *_quoted(
            "Rules the user gave, word for word; they hold until the user withdraws them",
            [rule for rule in state.rules if rule.author == PERSON],
            RULES_TOKENS,
        ),
        *_quoted("Noted as a rule, and not by the user", notes, NOTES_TOKENS),
        *_quoted(
            "Dead ends the user told of (already tried, did not work)",
            state.dead_ends,
            DEAD_ENDS_TOKENS,
        ),
        *_quoted("The user's own words earlier in this session", state.heard, HEARD_TOKENS),
    ]


def _quoted(text: str, rules: list[GivenRule], tokens: int) -> list[Remark]:
    """The newest of them under a line that says what they are; nothing for none."""
    if not rules:
        return []
    latest = _latest(rules, tokens)
    left = len(rules) - len(latest)
    more = f" ({left} older ones: see `holdfast rules`)" if left else ""
    return [rules_remark(f"{text}{more}:", latest)]


def rules_remark(text: str, rules: list[GivenRule]) -> Remark:
    """Rules under a line that says what they are, each with its author and its day."""
    return Remark(
        RULES,
        text,
        items=[attributed(rule) for rule in rules],
        rest="see `holdfast rules`",
        rules=[rule.id for rule in rules],
    )


def goal(state: Summary) -> list[Remark]:
    known = state.goal
    if not known:
        return []
    text = struck(known.goal, state.withdrawn)
    return [Remark(GOAL, f"{goal_title(known)}, set {known.at[:16]}Z:", text)]


def last_prompt(state: Summary) -> list[Remark]:
    """What was asked last, unless that is the goal."""
    last = struck(state.activity.last_prompt, state.withdrawn)
    if not last or (state.goal and _is_in(last, state.goal.goal)):
        return []
    return [Remark(GOAL, "The last prompt:", last)]


def stopped(state: Summary, *, own: bool, with_steps: bool) -> list[Remark]:
    """The agent's own last words: in short for another session, at length for the same. What is
    told as next steps is not said twice."""
    text = struck(state.summary, state.withdrawn)
    for step in state.next_steps if with_steps else ():
        text = text.replace(step, "")
    short = cut(text, LAST_WORDS) if own else condensed(text, LAST_WORDS_SHORT)
    if not short.strip(" #*-:.;"):
        return []
    at = state.activity.last_prompt_at[:16]
    when = f" ({at}Z)" if at else ""
    return [Remark(STOPPED, f"Where it stopped, from {state.summary_source}{when}:", short)]


def work(state: Summary, *, is_fresh: bool = True, is_surfaced: bool = False) -> list[Remark]:
    """What is unfinished: failing commands, then next steps by whoever named them. The agent's own
    tasks among them are counted where they are surfaced in another session."""
    remarks = []
    for check in state.failing[:FAILING]:
        is_last = state.last_command and state.last_command.command == check.command
        which = "Last command, which failed" if is_last else "Failed when last run"
        since = "; files were edited since" if check.is_edited_since else ""
        lines = "\n".join(run_output.telling_lines(check.says))
        text = f"{which} ({check.at[:16]}Z{since}): `{inline(check.command, 300)}`"
        remarks.append(Remark(NEXT, text, lines))
    gone = state.withdrawn
    steps = all_struck(state.next_steps, gone)
    if steps and is_fresh:
        many = len(steps) if is_surfaced and state.next_source == handoff.TODOS else 0
        text = f"Next steps, from {state.next_source}:"
        remarks.append(Remark(NEXT, text, items=steps, tasks=many))
    given = state.handoff
    if given and is_fresh:
        for title, texts in (("Blockers", given.blockers), ("Open questions", given.questions)):
            items = all_struck(texts, gone)
            if items:
                remarks.append(Remark(NEXT, f"{title}, from the handoff:", items=items))
    return remarks


def list_before(state: Summary) -> list[Remark]:
    """What is left on a list that an earlier session made, and this one took over."""
    left = state.list_before
    if left is None:
        return []
    titles = all_struck([todo.title for todo in left.todos], state.withdrawn)
    text = f"Left to do on the list of session {left.session[:8]}:"
    return [Remark(NEXT, text, items=titles)] if titles else []


def queue(state: Summary) -> list[Remark]:
    """Work that turned up; what is told as a failing command is not told twice."""
    failing = {f"`{command.command}` fails" for command in state.failing[:FAILING]}
    items = [item.description for item in state.queue if item.description not in failing]
    return [Remark(NEXT, "Also come across:", items=items)] if items else []


def helpers(state: Summary, root: str) -> list[Remark]:
    """The calls that bring other tools' state back, where there is something to come back to."""
    lines = [
        other_tools.revival(inline(name), inline(value))
        for name, value in state.helpers
        if other_tools.is_there(name, value, root)
    ]
    return [Remark(NEXT, f"To bring other tools' state back: {'; '.join(lines)}.")] if lines else []


def pins(state: Summary) -> list[Remark]:
    items = [pinned(pin) for pin in sorted(state.pins, key=lambda pin: not pin.critical)]
    return [Remark(PINS, "Pinned:", items=items, rest="see `holdfast pins`")] if items else []


def pinned(pin: Pin) -> str:
    name = f"{pin.label}: " if pin.label else ""
    mark = "CRITICAL " if pin.critical and "CRITICAL" not in f"{name}{pin.content}" else ""
    where = f" [inherited from {pin.source[:8]} @ {pin.at[:16]}Z]" if pin.source else ""
    return f"{mark}{name}{pin.content}{where}"


def files(state: Summary) -> list[Remark]:
    changed = [(path, "created") for path in state.created]
    changed += [(path, "edited") for path in state.edited]
    remarks = []
    if changed:
        named = ", ".join(f"{inline(path)} ({how})" for path, how in changed[:FILES])
        more = len(changed) - FILES
        remarks.append(
            Remark(TOPICS, f"Files changed: {named}{f', and {more} more' if more > 0 else ''}.")
        )
    last = state.last_command
    if last and last.ok:
        command = f"`{inline(last.command)}`"
        remarks.append(Remark(TOPICS, f"Last command, which succeeded: {command}"))
    return remarks


def read_files(state: Summary) -> list[Remark]:
    """Tier 2: worth a line while the session before is hardly over."""
    if not state.read:
        return []
    named = ", ".join(inline(path) for path in state.read[:FILES])
    return [Remark(TOPICS, f"Files read: {named}.")]


def inherited(left: Inheritance, *, is_surfaced: bool) -> list[Remark]:
    """The preamble's sections, each where its urgency puts it; its header opens the first."""
    parts = dict(
        preamble.preamble(
            left.changed(
                tasks=[
                    (task.changed(title=inline(task.title)), hours) for task, hours in left.tasks
                ],
                projects=[inline(name) for name in left.projects],
                topics=[inline(word) for word in left.topics],
            )
        )
    )
    header = parts.pop("header", "")
    order = {"tasks": NEXT, "pins": PINS, "projects": TOPICS, "topics": TOPICS}
    remarks = []
    for name in sorted(parts, key=lambda name: order[name]):
        text = f"{header}\n{parts[name]}" if header else parts[name]
        many = preamble.count_tasks(left) if is_surfaced and name == "tasks" else 0
        remarks.append(Remark(order[name], text, tasks=many))
        header = ""
    return remarks


def pointing() -> list[Remark]:
    """When to point at what the user said; only where the command can be run."""
    return [Remark(NOTICE, POINTING)] if paths.on_path("holdfast") else []


def phase(name: str, tokens: int, window: int) -> Remark:
    percent = tokens * 100 // window if window else 0
    advice = {
        budget.SIGNALS: " Finish what is open before starting anything large.",
        budget.CRITICAL: " A compaction is near: rules, goal and open work are kept and will be"
        " told again.",
    }[name]
    return Remark(GATES, f"Context phase {name}: {percent} % of {window} tokens in use.{advice}")


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
