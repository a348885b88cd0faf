-- Which names edits defined, and in which file. Every row is owned by the session whose edit it was.
create table definitions (
    session  text not null,
    name     text not null,
    path     text not null,
    project  text not null,
    at       text not null,
    seq      integer not null,
    is_there integer not null,        -- 0: the edit took it away
    primary key (session, name, path)
) without rowid;
create index definitions_by_name on definitions (project, name, at);

-- The message before the last, where that is worth telling beside a short one.
alter table activity add column message_before text not null default '';
