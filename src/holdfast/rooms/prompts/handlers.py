"""What a prompt does to the goal and to the rules, kept as entries, and what becomes of it later.

What a prompt says is kept inside the event's transaction, right after the prompt itself, and is
provisional: a later event looks at what the agent wrote of it (settling.py). Settling twice is
settling once: its entries are named after the transcript's rows.
"""

from __future__ import annotations

from holdfast.rooms.prompts import queries
from holdfast.system import environment, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.agents.transcript_rows import Row
    from holdfast.hook.event_context import EventContext
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.prompts.choices import Chosen
    from holdfast.rooms.prompts.settling import Record, Settlement
    from holdfast.rooms.prompts.understanding import Heard

PERSON = "person"
REPEATED_OF = 200  # rules of other sessions that a prompt may say again, the latest
# How much of a transcript is read: more where less does not tell. While an agent works only a
# little, for the person waits; a turn that has ended may be long.
TAIL_BYTES = (1 << 17, 1 << 20, 1 << 22)
SETTLED_OF = 50  # prompts of a session, the latest
# The same opening in so many sessions, of the project's latest, is a program's.
AUTOMATED_FROM, OPENINGS_OF = 3, 50
CRASHED_CAP = 10
OPEN_CAP = 5


def on_prompt(context: EventContext) -> None:
    """Keep the goal, the rules and the withdrawals of a prompt that a person can have given: of one
    that the agent's own process did not send nothing is heard."""
    if context.kept is None or context.unverified:
        return
    from holdfast.rooms.prompts import understanding

    prompt = context.kept.body["prompt"]  # as it is kept: without its secrets
    if _is_automated(context, prompt):
        return
    heard = understanding.hear(prompt)
    _set_goal(context, heard, prompt)
    for words in heard.withdrawals:
        _take_back(context, words)
    for words in heard.affirmations:
        _strengthen(context, words)
    _keep_rules(context, heard, prompt)


def _is_automated(context: EventContext, prompt: str) -> bool:
    """Whether a program opened the session, and others, with the same words: they are nobody's
    goal, and those sessions are none that somebody left. What was announced as a rule stays."""
    from holdfast.rooms.prompts import settling

    opening = settling.opening_of(prompt)
    if not opening or queries.has_prompt_before(context.store, context.event.session):
        return False
    others = queries.openings(context.store, context.project, opening, OPENINGS_OF)
    if len({session for session, _ in others}) < AUTOMATED_FROM:
        return False
    for session, id_ in others:
        body = {"prompt": id_, "origin": settling.AUTOMATED, "stands": False}
        context.keep_of(session, "prompt_settled", body, key=f"settled:{id_}:automated:0")
    return True


def on_reply(context: EventContext) -> None:
    """Keep what the user answered, or that a plan was approved."""
    kept = context.kept
    if kept is None or context.unverified:
        return
    from holdfast.agents import user_replies
    from holdfast.rooms.prompts import choices

    given, reply = kept.body["input"], kept.body["reply"]  # as it is kept: without its secrets
    approved = choices.of_plan(*user_replies.approved_plan(reply))
    call = context.event.key.partition(":")[2]
    made = [approved] if approved else choices.of_answers(user_replies.answers(given, reply))
    for number, choice in enumerate(made):
        keep_choice(context, choice, key=choices.key_of(call, number), said_in=_said_in(context))


def on_refusals(context: EventContext) -> None:
    """Keep what the user said in refusing calls. Only a call that did not run was refused: what a
    tool printed may look like a refusal."""
    if context.kept is None or context.unverified:
        return
    from holdfast.ledger.queries import is_kept
    from holdfast.rooms.prompts import choices

    for call in context.kept.body["calls"]:
        choice = choices.of_refusal(call["words"], _in_project(context, call["about"]))
        if choice and not is_kept(context.store, context.event.session, f"tool:{call['call']}"):
            key = choices.key_of(call["call"])
            keep_choice(context, choice, key=key, said_in=_said_in(context))


def keep_choice(
    context: EventContext, choice: Chosen, *, key: str, row: str = "", said_in: Body | None = None
) -> bool:
    """Keep a choice once, on the branch and in the thread it was made in; whether it is new. An
    answer and a plan need no line for the person, who has just given them; what was said with a Yes
    is told to nobody, but an agent may point at it."""
    from holdfast.hook.voice import ours, quoted, word
    from holdfast.rooms.prompts import choices

    body = _chosen(context, choice, context.event.session, context.branch(), row)
    kept = context.keep("choice_made", {**body, **(said_in or {})}, key=key)
    if kept is not None and choice.sort == choices.REFUSAL:
        line = ours(
            "Choice kept: {} (undo: holdfast choices drop {})",
            quoted(kept.body["text"]),
            word(kept.id[:6]),
        )
        context.for_person.append(line)
    return kept is not None


def _in_project(context: EventContext, asked: str) -> str:
    """What a call would have done, paths told from the worktree's root."""
    return asked.replace(f" {context.worktree}/", " ") if context.worktree else asked


def _chosen(context: EventContext, choice: Chosen, session: str, branch: str, row: str) -> Body:
    body: Body = {"text": choice.text, "question": choice.question, "sort": choice.sort}
    body |= {"branch": branch, "thread": queries.thread_of(context.store, session)}
    return body | {name: text for name, text in (("path", choice.path), ("row", row)) if text}


def _keep_rules(context: EventContext, heard: Heard, prompt: str) -> None:
    """Keep what was heard; what another session had heard before is repeated instead."""
    if not heard.rules:
        return
    from holdfast.rooms.prompts.similarity import is_same_rule
    from holdfast.system.paths import digest

    store, session = context.store, context.event.session
    heard_in = digest(prompt.encode("utf-8", "surrogatepass"))
    in_force = queries.rules(store, context.project, session, context.branch())
    known = {*queries.rule_texts(store, session), *(rule.text for rule in in_force)}
    before = queries.heard_elsewhere(store, context.project, session, REPEATED_OF)
    thread = queries.thread_of(store, session)
    for number, given in enumerate(heard.rules):
        same = next((rule for rule in before if is_same_rule(rule.text, given.text)), None)
        if same and same.heard_in != heard_in:
            _repeat(context, same.id, given.text)
        elif given.text not in known:
            body = {"text": given.text, "sort": given.sort, "lasting": given.is_order}
            body |= {"order": given.is_order, "heard_in": heard_in, "branch": context.branch()}
            body |= {"thread": thread, **_by_prompt(context)}
            rule = context.keep("rule_given", body, key=context.consequence("rule", number))
            if rule is not None and given.is_order:
                _show(context, rule.id, rule.body["text"])


def _by_prompt(context: EventContext) -> Body:
    """Who said it, and where."""
    return {"author": PERSON, **_in_prompt(context)}


def _in_prompt(context: EventContext) -> Body:
    return {"how": "prompt", "prompt": "", **_said_in(context)}


def _said_in(context: EventContext) -> Body:
    """The prompt or the call that it stands and falls with, and whether that is still to come."""
    kept = context.kept
    if kept is None:
        return {}
    return {"prompt": kept.id, **({"awaits": True} if kept.body.get("awaits") else {})}


def _repeat(context: EventContext, id_: str, words: str) -> None:
    """What was a candidate is a rule from now on; what was one, lasts."""
    before = queries.rule(context.store, id_)
    body = {"subject": id_, "turn": "repeated", "words": words, **_in_prompt(context)}
    context.keep("turned", body, key=context.consequence(f"repeated:{id_}"))
    if before is not None and not before.standing:
        _show(context, id_, before.text)


def _show(context: EventContext, id_: str, text: str) -> None:
    """One line for the person, with the command that undoes it."""
    from holdfast.hook.voice import ours, quoted, word

    environment.bring("rule_gates")
    from holdfast.rooms.prompts import gate_offers

    line = ours("Kept as your rule: {} (undo: holdfast rules drop {})", quoted(text), word(id_[:6]))
    offer = gate_offers.offer(id_, text)
    context.for_person += [line, offer] if offer else [line]


def _strengthen(context: EventContext, words: str) -> None:
    """What the user holds up in another session than it was said in was said again."""
    from holdfast.rooms.prompts.lifting import affirmed

    before = queries.heard_elsewhere(
        context.store, context.project, context.event.session, REPEATED_OF
    )
    for id_ in affirmed(words, [(rule.id, rule.text) for rule in reversed(before)]):
        _repeat(context, id_, words)


def _set_goal(context: EventContext, heard: Heard, prompt: str) -> None:
    """Set the goal when the prompt does so. Nobody is told: the agent has just read it."""
    from holdfast.rooms.prompts import understanding

    store, session = context.store, context.event.session
    current = queries.goal_of(store, session)
    is_first = current is None or current.session != session
    judged = understanding.judge_goal(
        heard,
        current,
        is_first=is_first,
        is_related=current is not None and understanding.is_same_task(current.keywords, prompt),
        words=understanding.keywords(heard.goal) if heard.goal else (),
    )
    if judged == understanding.KEPT:
        return
    body = {
        "goal": heard.goal,
        "keywords": understanding.keywords(heard.goal),
        "thread": "" if judged == understanding.CHANGED else queries.thread_of(store, session),
        **_by_prompt(context),
    }
    context.keep("goal_set", body, key=context.consequence("goal"))


def _take_back(context: EventContext, words: str) -> None:
    """Withdraw the rule that the words lift, and let the person see it."""
    from holdfast.hook.voice import ours, quoted, word
    from holdfast.rooms.prompts.lifting import lifted

    store, session = context.store, context.event.session
    in_force = queries.rules(store, context.project, session, context.branch())
    texts = {rule.id: rule.text for rule in in_force}
    for id_ in lifted(words, [(rule.id, rule.text, rule.sort) for rule in in_force]):
        body = {"subject": id_, "turn": "withdrawn", "words": words, **_in_prompt(context)}
        context.keep("turned", body, key=context.consequence(f"turned:{id_}"))
        line = ours(
            "Rule lifted: {} (undo: holdfast rules keep {})", quoted(texts[id_]), word(id_[:6])
        )
        context.for_person.append(line)


# What becomes of it


def look(context: EventContext) -> None:
    """What the record tells by now. Outside of the transaction: of this session, and before it is
    told anything of others that are at work, so that it is told what was said there just now."""
    event = context.event
    if event.kind in ("session_began", "prompt_given"):
        for session in queries.waiting_sessions(context.store)[:OPEN_CAP]:
            if session != event.session:
                context.records.append(_read(context, session, TAIL_BYTES[:1]))
    is_new = event.kind == "session_began" and event.body["source"] != "resume"
    if is_new or not event.transcript:
        return  # nothing is written yet, or it was looked at just before
    is_prompt = event.kind == "prompt_given"
    if is_prompt and not queries.is_open(context.store, event.session):
        return
    limits = TAIL_BYTES[:1] if is_prompt else TAIL_BYTES
    is_over = event.kind == "session_ended"
    context.records.append(_read(context, event.session, limits, is_over=is_over))


def settle(context: EventContext) -> None:
    """Keep what was looked at."""
    for record in context.records:
        _keep_told(context, record)


def look_at_crashed(context: EventContext) -> None:
    """What the record tells of sessions that were cut off."""
    for session in context.crashed_sessions()[:CRASHED_CAP]:
        if session.transcript:
            context.records.append(_read(context, session.id, TAIL_BYTES[:2], is_over=True))


def _read(
    context: EventContext, session: str, limits: tuple[int, ...], *, is_over: bool = False
) -> Record:
    """What the end of a record tells, as much of it as it takes."""
    from holdfast.agents import transcripts
    from holdfast.rooms.prompts import settling

    agent, path, is_believed = context.record_of(session)
    prompts = queries.prompts_to_settle(context.store, session, SETTLED_OF)
    awaited = context.awaited_calls(session)
    record, tail = settling.Record(session, []), None
    record.awaited = awaited
    if is_believed and files.exists(path):
        for limit in limits:
            tail = transcripts.read(agent, path, 0, limit)
            record.settlements = settling.settle(prompts, tail)
            if settling.is_enough(prompts, record.settlements, tail):
                break
    if tail is not None and tail.rows:
        record.settlements += settling.absent(prompts, record.settlements, tail)
        record.calls = settling.settle_calls(awaited, tail)
        record.spoken = settling.words_beside(tail)
        record.cut_off = settling.cut_off(tail) if is_over else ""
    elif is_believed and session != context.event.session and not is_over:
        return record  # another session's first turn runs: its record is not there yet
    is_unread = tail is None or not tail.rows
    if is_unread or is_over:
        # There is no record, or it was cut off. Then it counts how an event came; and what nothing
        # but scripts had begun never came from a person.
        stands = is_believed
        known = {each.prompt for each in record.settlements} | {each.call for each in record.calls}
        left = [e for e in prompts if e.waits and e.id not in known and (is_unread or e.by_client)]
        record.settlements += settling.without_record(left, stands=stands)
        calls = [e for e in awaited if e.id not in known and (is_unread or e.by_client)]
        record.calls += settling.calls_without_record(calls, stands=stands)
    return record


def _keep_told(context: EventContext, record: Record) -> None:
    """What became of prompts and calls, and words beside them, for the session they are of."""
    from holdfast.rooms.prompts import settling
    from holdfast.system.paths import digest

    for settlement in record.settlements:
        body, key = _settled(settlement), _settled_key(settlement)
        if context.keep_of(record.session, "prompt_settled", body, key=key) and _is_absent(
            settlement
        ):
            context.not_clients.append(("prompt", settlement.why, settlement.prompt))
    awaited = {call.id: call for call in record.awaited}
    for call in record.calls:
        body = {name: value for name, value in call.as_dict().items() if value != ""}
        key = f"settled:{call.call}:{int(call.stands)}"
        if context.keep_of(record.session, "call_settled", body, key=key) and not call.stands:
            known = awaited[call.call]
            what = settling.what_spoke(known.kind, known.body)
            context.not_clients.append((what, call.why, call.call))
    for row in record.spoken:
        _keep_words(context, record.session, row)
    if record.cut_off:
        key = f"cut:{digest(record.cut_off.encode('utf-8', 'surrogatepass'))[:12]}"
        context.keep_of(record.session, "turn_cut", {"message": record.cut_off}, key=key)


def _is_absent(settlement: Settlement) -> bool:
    from holdfast.rooms.prompts.settling import ABSENT

    return settlement.why == ABSENT


def _settled(settlement: Settlement) -> Body:
    body = settlement.as_dict()
    return {name: value for name, value in body.items() if name == "stands" or value}


def _settled_key(settlement: Settlement) -> str:
    row = settlement.row or settlement.why
    return f"settled:{settlement.prompt}:{row}:{int(settlement.stands)}"


def _keep_words(context: EventContext, session: str, row: Row) -> None:
    """Words given with a refusal or a Yes, and a plan that was accepted, as the user's choice."""
    choice = _choice_in(context, session, row)
    if choice is None:
        return
    if session != context.event.session:
        body = _chosen(context, choice, session, context.branch_of(session), row.uuid)
        context.keep_of(session, "choice_made", body, key=_words_key(row))
        return
    is_new = keep_choice(context, choice, key=_words_key(row), row=row.uuid)
    if is_new and choice.sort == "plan":
        _set_planned_goal(context, choice.text)


def _choice_in(context: EventContext, session: str, row: Row) -> Chosen | None:
    """What a row says that the user chose; None where that was kept before."""
    from holdfast.rooms.prompts import choice_queries, choices

    if row.kind == choices.PLAN:
        choice = choices.of_plan(row.text, "")
    elif row.kind == choices.REFUSAL:
        choice = choices.of_refusal(row.text, _in_project(context, row.about))
    else:
        choice = choices.of_approval(row.text, _in_project(context, row.about))
    if choice is None or choice_queries.has_choice(
        context.store, context.project, session, sort=choice.sort, text=choice.text, row=row.uuid
    ):
        return None
    return choice


def _words_key(row: Row) -> str:
    """Of a refusal as another door would name it. An approved plan may have words beside it."""
    from holdfast.rooms.prompts import choices

    key = choices.key_of(row.call or row.uuid)
    return f"{key}:{row.kind}" if row.kind == choices.APPROVAL else key


def keep_plan_begun_with(context: EventContext) -> str:
    """Keep the plan that the record of a session begins with, and say it; "" for none."""
    from holdfast.agents import transcripts
    from holdfast.rooms.prompts import choices

    agent, path, is_believed = context.record_of(context.event.session)
    if not is_believed or not files.exists(path):
        return ""
    rows = transcripts.read(agent, path, 0, TAIL_BYTES[1]).rows
    plan = next((row for row in rows if row.kind == choices.PLAN), None)
    if plan is None:
        return ""
    _keep_words(context, context.event.session, plan)
    return plan.text


def _set_planned_goal(context: EventContext, title: str) -> None:
    """A plan that was accepted with a cleared context is what the new session is about."""
    from holdfast.rooms.prompts import understanding

    store, session = context.store, context.event.session
    current = queries.goal_of(store, session)
    if current is not None and current.session == session:
        return  # the user has said more since
    thread = queries.thread_of(store, session)
    body = {"goal": title, "keywords": understanding.keywords(title), "thread": thread}
    body |= {"how": "plan", "author": PERSON}
    context.keep("goal_set", body, key=context.consequence("goal:plan"))
