-- Derived by the continuity room. Every row is owned by the session whose entry made it ('' for
-- what a person said outside of one), so that a session can be forgotten or derived again by
-- itself: what one session does to another's rows is a row of its own (turns, inherited pins).
drop table activity;
create table activity (
    session        text primary key,
    prompts        integer not null,
    turns          integer not null,
    tools          integer not null,
    last_prompt    text not null,
    last_prompt_at text not null,
    last_message   text not null,
    summary        text not null,    -- of the last compaction, by the agent
    goal           text not null,    -- id of the goal in force, its own or inherited
    thread         text not null,    -- of rules: a task and its sequels; '' until it is known
    told           text not null,    -- json: what of goal, phase and rules the agent was told
    tokens         integer not null, -- in the agent's context, when last seen; 0 when unknown
    window         integer not null,
    synced_tokens  integer not null, -- at the last checkpoint
    model          text not null
) without rowid;

create table goals (
    id       text primary key,
    project  text not null,
    session  text not null,
    at       text not null,
    goal     text not null,
    keywords text not null,          -- json
    thread   text not null,          -- rules of a task hold as long as its thread
    how      text not null           -- prompt, command
) without rowid;
create index goals_by_session on goals (session, at);
create index goals_by_project on goals (project, session, at);

create table rules (
    id      text primary key,
    project text not null,
    session text not null,
    at      text not null,
    text    text not null,           -- verbatim
    sort    text not null,           -- forbids, demands, corrects, prefers, dead_end
    lasting integer not null,
    thread  text not null,
    how     text not null            -- prompt, command
) without rowid;
create index rules_by_project on rules (project, lasting, thread);
create index rules_by_session on rules (session);

-- What happened later to a rule, a pin or a learning.
create table turns (
    id      text primary key,
    subject text not null,
    project text not null,
    session text not null,
    at      text not null,
    turn    text not null,           -- withdrawn, kept
    how     text not null,
    words   text not null
) without rowid;
create index turns_by_subject on turns (subject);
create index turns_by_project on turns (project, turn);
create index turns_by_session on turns (session);

create table pins (
    id       text primary key,
    project  text not null,
    session  text not null,
    at       text not null,
    label    text not null,
    content  text not null,
    critical integer not null
) without rowid;
create index pins_by_session on pins (session, project);
create index pins_by_project on pins (project, critical);

create table inherited_pins (
    session text not null,
    pin     text not null,
    source  text not null,           -- the session it was inherited from
    primary key (session, pin)
) without rowid;

-- Which sessions a session was restored from.
create table inheritances (
    session  text not null,
    source   text not null,
    at       text not null,
    permille integer not null,       -- the score of relevance
    how      text not null,          -- followed, cleared, forked, continued
    primary key (session, source)
) without rowid;
create index inheritances_by_source on inheritances (source);

create table tasks (
    session text not null,
    task    text not null,
    title   text not null,
    stage   text not null,           -- pending, in_progress, completed
    source  text not null,           -- todo, task
    at      text not null,
    place   integer not null,
    primary key (session, source, task)
) without rowid;

create table commands (
    session     text not null,
    command     text not null,
    ok          integer not null,
    at          text not null,
    says        text not null,       -- the end of what it printed
    failed_at   text not null,       -- the last time it failed, '' when it never did
    failed_says text not null,
    times       integer not null,
    seq         integer not null,
    primary key (session, command)
) without rowid;

create table tools (
    session text not null,
    tool    text not null,
    times   integer not null,
    primary key (session, tool)
) without rowid;

create table topics (
    session text not null,
    topic   text not null,
    weight  integer not null,
    primary key (session, topic)
) without rowid;

create table learnings (
    id         text primary key,
    project    text not null,
    session    text not null,
    at         text not null,
    text       text not null,
    source     text not null,        -- command, fix
    categories text not null         -- json
) without rowid;
create index learnings_by_project on learnings (project, at);
create index learnings_by_session on learnings (session);

-- Work that was come across: to-do marks and stubs that an edit added.
create table found_work (
    session     text not null,
    sort        text not null,
    description text not null,
    at          text not null,
    primary key (session, sort, description)
) without rowid;

-- The state of other tools that a compaction would make the agent forget.
create table helpers (
    session text not null,
    helper  text not null,
    value   text not null,
    at      text not null,
    primary key (session, helper)
) without rowid;

create table checkpoints (
    id      text primary key,
    project text not null,
    session text not null,
    at      text not null,
    cause   text not null,           -- compact, stop, clear, hand
    version integer not null,
    tokens  integer not null,
    phase   text not null,
    machine text not null,           -- where the ledger stood
    seq     integer not null,
    tier1   text not null            -- json; texts of other sessions by their ids
) without rowid;
create index checkpoints_by_session on checkpoints (session, at);
create index checkpoints_by_project on checkpoints (project, at);

create table handoffs (
    id      text primary key,
    project text not null,
    session text not null,
    at      text not null,
    said    text not null            -- json: summary, next_steps, blockers, questions
) without rowid;
create index handoffs_by_session on handoffs (session, at);

-- Which project's words were taken over by another.
create table merges (
    project text primary key,
    home    text not null
) without rowid;
