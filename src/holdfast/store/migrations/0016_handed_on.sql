-- What a session takes over: of a contract, by which entry it was set, for which task and by whom,
-- and of an inherited one where it was set first and what was not proven when it was handed on.
alter table contracts add column id text not null default '';
alter table contracts add column thread text not null default '';
alter table contracts add column author text not null default '';
alter table contracts add column source text not null default '';
alter table contracts add column unproven text not null default '[]';    -- json
alter table contracts add column edits_wait integer not null default 0;  -- for proof

-- Whose list of what is to do a session goes on with.
create table inherited_todos (
    session text primary key,
    source  text not null
) without rowid;

-- Who pinned it.
alter table pins add column author text not null default '';

-- Which boxes of the notes were ticked last.
create index resolutions_by_words on resolutions (project, words, at);
