-- How many words a session's documents have: a long session says a word sooner than a short one.
-- The index is a cache; another version of its rule fills it anew, and this with it.
alter table recalled_sessions add column size integer not null default 0;
