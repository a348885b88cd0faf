-- What the user said is a room of its own: prompts, goals, rules, choices, what became of them, and
-- how often they were told. Every row is owned by the session whose entry made it.
create table prompts (
    session text not null,
    seq     integer not null,
    id      text not null,
    project text not null,
    at      text not null,
    text    text not null,
    branch  text not null,
    origin  text not null,            -- given: as the hook has it; typed, queued, command, plan, ...
    stands  integer not null,         -- 0: taken back, rewound, or not a person's
    row     text not null,            -- of the agent's transcript
    primary key (session, seq, id)    -- a session may go on with another machine's numbers
) without rowid;
create unique index prompts_by_id on prompts (id);
create index prompts_by_project on prompts (project, at);

-- The goal in force in a session is the last of these that stands.
create table session_goals (
    session text not null,
    seq     integer not null,
    goal    text not null,            -- its id; '' where only the thread is known
    thread  text not null,
    prompt  text not null,
    stands  integer not null,
    primary key (session, seq, goal, thread)
) without rowid;
insert into session_goals
    select session, 0, goal, thread, '', 1 from activity where thread <> '';
create index session_goals_by_prompt on session_goals (prompt) where prompt <> '';
alter table activity drop column goal;
alter table activity drop column thread;

alter table goals add column author text not null default 'person';
alter table goals add column prompt text not null default '';

alter table rules add column author text not null default 'person';
alter table rules add column scope text not null default 'project';
alter table rules add column branch text not null default '';
alter table rules add column prompt text not null default '';
alter table rules add column stands integer not null default 1;
create index rules_by_prompt on rules (prompt) where prompt <> '';

-- What the user chose: answers, refusals with words, accepted plans, decisions typed or pointed at.
create table choices (
    id       text primary key,
    project  text not null,
    session  text not null,
    seq      integer not null,
    at       text not null,
    text     text not null,           -- verbatim
    question text not null,           -- what it answers; '' for none
    sort     text not null,           -- answer, refusal, approval, plan, typed
    pointed  integer not null,        -- the agent pointed at it
    branch   text not null,
    thread   text not null,
    path     text not null,           -- of a plan
    prompt   text not null,
    row      text not null,           -- of the agent's transcript
    stands   integer not null
) without rowid;
create index choices_by_project on choices (project, at);
create index choices_by_branch on choices (project, branch, at);
create index choices_by_question on choices (project, question, at) where question <> '';
create index choices_by_prompt on choices (prompt) where prompt <> '';
create index choices_by_session on choices (session);

-- What happened later to a rule or a choice; `turns` has what happened to pins and learnings.
create table rule_turns (
    id      text primary key,
    subject text not null,
    project text not null,
    session text not null,
    at      text not null,
    turn    text not null,            -- withdrawn, kept, repeated, pointed, scoped, disowned
    how     text not null,
    words   text not null,
    prompt  text not null             -- in which it was said; '' for none
) without rowid;
insert into rule_turns select id, subject, project, session, at, turn, how, words, '' from turns;
create index rule_turns_by_prompt on rule_turns (prompt) where prompt <> '';
create index rule_turns_by_subject on rule_turns (subject);
create index rule_turns_by_project on rule_turns (project, turn, at);
create index rule_turns_by_session on rule_turns (session);

create table rules_told (
    session text not null,
    rule    text not null,
    times   integer not null,
    primary key (session, rule)
) without rowid;
create index rules_told_by_rule on rules_told (rule);

create table prompt_homes (
    project text primary key,
    home    text not null
) without rowid;
insert into prompt_homes select project, home from merges;
