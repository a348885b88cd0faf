-- How many words a session's documents have: a long session says a word sooner than a short one.
-- The index is a cache; another version of its rule fills it anew, and this with it.
alter table recalled_sessions add column size integer not null default 0;
-- Documents of a project are numbered on their own, so that a question reads them alone.
create table recalled_projects (
    id      integer primary key,   -- its numbers begin at this many times 2^24
    project text not null unique,
    last    integer not null       -- the number of its last document
);
