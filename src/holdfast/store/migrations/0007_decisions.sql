-- Derived by the decisions room. Every row is owned by the session whose entry made it ('' for what
-- a person did outside of one). What supersedes another is a row of its own, so that two machines
-- may both have superseded one, and both are shown.
create table decisions (
    id         text primary key,
    project    text not null,
    session    text not null,
    at         text not null,
    seq        integer not null,
    text       text not null,
    because    text not null,
    source     text not null,        -- person, agent
    supersedes text not null         -- the decision it takes the place of, or ''
) without rowid;
create index decisions_by_project on decisions (project, at);
create index decisions_by_session on decisions (session);
create index decisions_superseding on decisions (supersedes);

create table scenarios (
    decision text not null,
    place    integer not null,
    session  text not null,
    project  text not null,
    kind     text not null,          -- happy_path, edge_case, error_handling
    name     text not null,
    expected text not null,
    primary key (decision, place)
) without rowid;
create index scenarios_by_session on scenarios (session);

-- What a session said to be so, and what it rests on.
create table claims (
    id        text primary key,
    project   text not null,
    session   text not null,
    at        text not null,
    seq       integer not null,
    text      text not null,
    grounding text not null          -- citation, assumption, user_input
) without rowid;
create index claims_by_project on claims (project, at);
create index claims_by_session on claims (session);

-- Quotes under decisions and claims.
create table citations (
    id      text primary key,        -- of the owner, and its place there
    owner   text not null,
    place   integer not null,
    session text not null,
    project text not null,
    path    text not null,           -- from the project's root
    line    integer not null,
    last    integer not null,
    quote   text not null,
    part    integer not null,        -- a part of its lines, not the whole of them
    around  text not null,           -- json: digests of lines near by
    commit_ text not null            -- what was checked out when it was read
) without rowid;
create index citations_by_owner on citations (owner);
create index citations_by_session on citations (session);
create index citations_by_path on citations (project, path, owner);

-- Questions, next steps, blockers; open until a row of `resolutions` says otherwise.
create table items (
    id      text primary key,
    project text not null,
    session text not null,
    at      text not null,
    seq     integer not null,
    sort    text not null,           -- question, next_step, blocker
    text    text not null,
    source  text not null
) without rowid;
create index items_by_project on items (project, at);
create index items_by_session on items (session);

create table resolutions (
    id      text primary key,
    item    text not null,
    project text not null,
    session text not null,
    at      text not null,
    words   text not null
) without rowid;
create index resolutions_by_item on resolutions (item);
create index resolutions_by_session on resolutions (session);

-- What a project was merged into.
create table decision_homes (
    project text primary key,
    home    text not null
) without rowid;

-- A cache, exempt from the replay law (decisions/derive.py names it): how each quote stood when it
-- was last looked for in a work tree, and what its file looked like then.
create table standings (
    root     text not null,
    citation text not null,
    name     text not null,
    path     text not null,
    line     integer not null,
    last     integer not null,
    why      text not null,
    stamp    text not null,          -- of its file: times, size, number
    asked    text not null,          -- what git had checked out when it was asked
    primary key (root, citation)
) without rowid;
