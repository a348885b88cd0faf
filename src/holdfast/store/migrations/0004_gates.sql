-- Derived by the gates room. Every row is owned by the session whose entry made it ('' for what a
-- person did outside of one); what one session does to another's is a row of its own, and the
-- latest act counts.
create table gate_acts (
    project     text not null,
    branch      text not null,
    requirement text not null,
    whose       text not null,       -- the session it counts for; '' for the whole branch
    act         text not null,       -- met, triggered, cleared
    session     text not null,
    by          text not null,       -- skill, cli, approval, carry_over; of cleared: why
    at          text not null,
    seq         integer not null,
    since       text not null,       -- when it was met; earlier than `at` when it was handed on
    expires_at  text,
    primary key (project, branch, requirement, whose, act, session)
) without rowid;
create index gate_acts_by_session on gate_acts (session);

-- Switched on and off by a person: one requirement ('' for all), for a session ('' for all).
create table gate_switches (
    project     text not null,
    requirement text not null,
    whose       text not null,
    session     text not null,
    is_on       integer not null,
    at          text not null,
    seq         integer not null,
    primary key (project, requirement, whose, session)
) without rowid;
create index gate_switches_by_session on gate_switches (session);

-- The last edit of each file: evidence from before it does not count.
create table edits (
    session text not null,
    path    text not null,
    at      text not null,
    seq     integer not null,
    primary key (session, path)
) without rowid;

-- The last evidence of each kind.
create table evidence (
    session text not null,
    kind    text not null,
    at      text not null,
    seq     integer not null,
    passed  integer not null,
    tool    text not null,
    said    text not null,
    command text not null,
    primary key (session, kind)
) without rowid;

-- How a session's work goes: what confidence and the end of a turn are judged by.
create table conduct (
    session    text primary key,
    confidence integer not null,
    observed   text not null,        -- json: the observations of this turn
    failures   text not null,        -- json: command -> failures in a row
    changes    text not null,        -- json: the last edits, as digests
    turns      integer not null,     -- since the goal was set
    goal       text not null,        -- json: the goal's words
    heard      text not null,        -- json: which of them were heard, per turn
    deeds      integer not null,     -- in this turn that change something: edits, runs
    blocked    integer not null,     -- ends of this turn that were refused
    left_open  text not null         -- json: what a turn that was let go left open
) without rowid;

create table contracts (
    session  text primary key,
    at       text not null,
    goal     text not null,
    criteria text not null,          -- json
    required text not null,          -- json
    refused  integer not null        -- ends that were refused for what it lacks
) without rowid;

-- How often a requirement and a tool were refused, by what the hooks counted.
create table denials (
    session text not null,
    sort    text not null,           -- requirement, tool
    name    text not null,
    times   integer not null,
    primary key (session, sort, name)
) without rowid;

-- Skills that were run.
create table skills (
    session text not null,
    name    text not null,
    times   integer not null,
    at      text not null,
    primary key (session, name)
) without rowid;
