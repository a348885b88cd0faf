-- Threads of work: which sessions make one up, and the words by which a prompt finds it.
create table thread_links (
    session  text not null,
    seq      integer not null,
    id       text not null,     -- of the entry
    project  text not null,
    at       text not null,
    thread   text not null,
    permille integer not null,  -- how sure
    reason   text not null,
    author   text not null,     -- '' for Holdfast itself
    primary key (session, seq, id)
) without rowid;
create index thread_links_by_thread on thread_links (thread);
create index thread_links_by_project on thread_links (project, at);

-- What a person made of a thread.
create table thread_turns (
    id      text primary key,
    project text not null,
    session text not null,
    at      text not null,
    thread  text not null,
    turn    text not null,      -- named, closed, reopened, merged
    words   text not null       -- its name, or the thread that it was merged into
) without rowid;
create index thread_turns_by_thread on thread_turns (thread, at);

-- Into which project another was merged.
create table thread_homes (
    project text primary key,
    home    text not null
) without rowid;

-- On which branches a session was asked something, or answered.
create table thread_branches (
    project  text not null,
    branch   text not null,
    session  text not null,
    at       text not null,     -- the last time, of a prompt; '' for never
    ended_at text not null,     -- and of a turn's end
    primary key (project, branch, session)
) without rowid;
create index thread_branches_by_session on thread_branches (session);

create table thread_words (
    project text not null,
    word    text not null,
    session text not null,
    primary key (project, word, session)
) without rowid;
create index thread_words_by_session on thread_words (session);
