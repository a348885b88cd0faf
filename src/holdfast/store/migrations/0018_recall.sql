-- Transcripts that were imported: which entries came of each, so that they are known for what they
-- are and can be taken out again.
create table imports (
    session text not null,
    machine text not null,
    first   integer not null,      -- the numbers of the entries that came of it
    last    integer not null,
    file    text not null,
    rows    integer not null,      -- of the file, read by then
    bytes   integer not null,
    at      text not null,         -- when it was imported
    primary key (session, machine, first)
) without rowid;

-- The search index: caches, exempt from the replay law (rooms/recall/projection.py names them). No
-- text lies in it: a document says which part of which entry it is, and its words are those that
-- rooms/recall/words.py makes of it.
create virtual table recalled_words using fts5 (
    words, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '_'"
);
create table recalled_documents (
    id      integer primary key,
    place   integer not null,      -- of the entry
    part    integer not null,
    sort    integer not null,      -- what it is: rooms/recall/documents.py
    size    integer not null,      -- how many words
    session integer not null,
    at      integer not null       -- seconds since 1970
);
create table recalled_sessions (
    id      integer primary key,
    session text not null unique,
    project text not null
);
-- How far it goes, and by which rule it was filled.
create table recall_cursor (
    one     integer primary key check (one = 1),
    place   integer not null,
    version integer not null
);
