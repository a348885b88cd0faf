-- The ledger. Appended to, never updated; see docs/decisions/0001-the-entry.md.
create table entries (
    place    integer primary key,  -- where it lies in this store; not part of the entry
    machine  text not null,
    seq      integer not null,     -- gap-free per machine
    at       text not null,        -- utc, iso 8601
    project  text not null,
    session  text not null,        -- '' for what belongs to no session
    agent    text not null,
    kind     text not null,
    version  integer not null,     -- of the body's shape
    key      text not null,        -- the event's natural key within its session
    digest   text not null,        -- of salt and body
    checksum text not null         -- of all the above but place
);
create unique index entries_by_seq on entries (machine, seq);
create unique index entries_by_key on entries (session, key);

create table bodies (
    place integer primary key,
    salt  blob not null,
    body  text not null            -- json
);

-- Which machine this store is on. A copied home gets a new row.
create table machines (
    id          text primary key,
    fingerprint text not null,
    since       text not null
);

-- Which rule of derivation filled each room's tables.
create table derivations (
    room    text primary key,
    version integer not null
);

-- Derived by the sessions room.
create table projects (
    id          text primary key,
    name        text not null,
    root        text not null,
    met_at      text not null,
    merged_into text not null default ''
);
create table aliases (
    sort    text not null,         -- remote, root commit, path
    value   text not null,
    project text not null,
    primary key (sort, value, project)
) without rowid;
create table sessions (
    id              text primary key,
    agent           text not null,
    project         text not null,
    worktree        text not null,
    gitdir          text not null,
    cwd             text not null,
    branch          text not null,
    channel         text not null,
    model           text not null,
    transcript      text not null,
    source          text not null,
    phase           text not null, -- working, resting, ended
    started_at      text not null,
    last_active_at  text not null,
    ended_at        text,
    end_reason      text not null,
    crash_recovered integer not null,
    pid             integer not null,
    process_started text not null,
    boot            text not null,
    host            text not null,
    namespace       text not null,
    archived        text not null default ''
) without rowid;
create index sessions_open on sessions (id) where ended_at is null;
create index sessions_by_project on sessions (project, started_at);
create index sessions_by_branch on sessions (project, branch, started_at);
create table links (
    session  text primary key,
    previous text not null,        -- '' when it is known to be unknown
    how      text not null,        -- followed, cleared, forked, continued
    at       text not null
) without rowid;
create index links_by_previous on links (previous);

-- Derived by the continuity room.
create table activity (
    session           text primary key,
    prompts           integer not null,
    turns             integer not null,
    tools             integer not null,
    last_prompt       text not null,
    last_prompt_at    text not null,
    last_command      text not null,
    last_command_at   text not null,
    last_command_ok   integer not null,
    last_command_says text not null,
    last_message      text not null
) without rowid;
create table touched (
    session text not null,
    path    text not null,
    how     text not null,         -- read, edited, created
    times   integer not null,
    last_at text not null,
    primary key (session, path)
) without rowid;
