-- Derived by decisions.papers: places in the code worth knowing, our own list of work, and what
-- was written to an item of a tracker. Every row is owned by the session whose entry made it ('' for
-- what a person did outside of one); of two acts on one thing the later one counts.
create table identifiers (
    id       text primary key,
    project  text not null,
    session  text not null,
    at       text not null,
    path     text not null,       -- from the root
    line     integer not null,
    last     integer not null,
    purpose  text not null        -- '' when it is dropped
) without rowid;
create index identifiers_by_project on identifiers (project, at);
create index identifiers_by_session on identifiers (session);

create table identifier_checks (
    identifier text not null,
    session    text not null,
    project    text not null,
    at         text not null,
    standing   text not null,     -- here, short, gone
    primary key (identifier, session)
) without rowid;
create index identifier_checks_by_session on identifier_checks (session);

create table tracked (
    project text not null,
    item    text not null,
    session text not null,
    at      text not null,
    seq     integer not null,
    title   text not null,
    stage   text not null,        -- open, in_progress, closed
    primary key (project, item, session)
) without rowid;
create index tracked_by_session on tracked (session);

create table tracked_words (
    id      text primary key,
    project text not null,
    item    text not null,
    session text not null,
    at      text not null,
    seq     integer not null,
    tracker text not null,        -- br, bd, file, own
    sort    text not null,        -- comment, decision, handoff
    subject text not null,        -- the decision or the session that it tells of
    text    text not null
) without rowid;
create index tracked_words_by_item on tracked_words (project, item, at);
create index tracked_words_by_session on tracked_words (session);
