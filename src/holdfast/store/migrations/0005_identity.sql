-- Derived by the identity room. A mind is a session's identity as it stands, folded at each event;
-- an identity is the snapshot of it in the seed's fourteen fields. The seed's keys are here as the
-- primary key (s:), an index by time (t:) and a pointer (latest).
create table minds (
    session  text primary key,
    project  text not null,
    previous text not null,          -- the session before, '' for none
    source   text not null,          -- the session that handed its purpose on, '' for none
    thread   text not null,          -- of the goal it is anchored in
    told     text not null,          -- the class that the agent was told last
    told_at  integer not null,       -- after how many events
    foretold text not null,          -- json: words and files that were there before anything was done
    crossing integer not null,       -- continuity with the session before, in ten-thousandths
    is_fixed integer not null,       -- whether that is settled
    mind     blob not null,
    checksum text not null           -- of the mind
);
create table identities (
    session      text primary key,
    project      text not null,
    timestamp_ms integer not null,
    snapshot     blob not null       -- carries its own version and digest
);
create index identities_by_time on identities (project, timestamp_ms, session);
create table identity_latest (
    project text primary key,
    session text not null
) without rowid;
-- Projects that were merged, and into what.
create table identity_homes (
    project text primary key,
    home    text not null
) without rowid;
