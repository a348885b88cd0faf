-- Derived by the decisions room. Every row is owned by the session whose entry made it ('' for what
-- a person did outside of one).
-- What was said or done against a decision that held then.
create table forks (
    id       text primary key,
    project  text not null,
    session  text not null,
    at       text not null,
    seq      integer not null,
    sort     text not null,          -- decision, statement, edit
    decision text not null,          -- the one that held
    citation text not null,          -- of an edit: which of its quotes went, or ''
    said     text not null,
    why      text not null,
    went_on  integer not null        -- kept all the same, as somebody wanted
) without rowid;
create index forks_by_project on forks (project, at);
create index forks_by_session on forks (session);

-- Features that were looked for, and whether they were there.
create table ghosts (
    id       text primary key,
    project  text not null,
    session  text not null,
    at       text not null,
    seq      integer not null,
    feature  text not null,
    also     text not null,          -- json: other words for it
    verdict  text not null,          -- ghost, ambiguous, found, unverified
    code     integer not null,
    docs     integer not null,
    commit_  text not null,
    is_dirty integer not null
) without rowid;
create index ghosts_by_project on ghosts (project, at);
create index ghosts_by_session on ghosts (session);
