-- Derived by the dreams room. What a session used is owned by that session; of other sessions'
-- memories only ids are kept, so that what is forgotten there is forgotten here. Links are no rows:
-- they are folded from what sessions used together, whenever they are asked for.
create table recalls (
    session text primary key,
    project text not null,
    step    integer not null,        -- which of the project's sessions it was, as they were replayed
    until   text not null            -- when the session was last active as it was replayed
) without rowid;
create index recalls_by_project on recalls (project, step);

create table recollections (
    session  text not null,
    memory   text not null,          -- its id; a rule's, a pin's, a learning's is its own
    sort     text not null,          -- file, topic, learning, rule, pin, decision
    name     text not null,          -- of a file or a topic; '' where the id says it
    permille integer not null,       -- how much of the session it was
    primary key (session, memory)
) without rowid;

create table dreams (
    id      text primary key,
    project text not null,
    session text not null,           -- '' for a dream: it is the project's
    at      text not null,
    why     text not null,           -- hand, crisis
    ended   text not null,           -- done, limit
    step    integer not null,        -- how many sessions had been replayed by its end
    said    text not null            -- json: the report
) without rowid;
create index dreams_by_project on dreams (project, at);
create index dreams_by_session on dreams (session);

-- Links that had come down to the floor: co-use up to that step counts no more.
create table faded_links (
    project text not null,
    session text not null,
    a       text not null,
    b       text not null,
    step    integer not null,
    primary key (project, a, b, session)
) without rowid;
create index faded_links_by_session on faded_links (session);
