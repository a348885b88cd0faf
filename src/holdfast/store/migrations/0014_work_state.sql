-- Where the work stands: branches as git showed them, and what commands printed of pull requests,
-- issues, checks, reviews and commits. Every row is owned by the session whose entry made it.
create table branch_states (
    session text not null,
    branch  text not null,
    project text not null,
    at      text not null,
    seq     integer not null,
    tools   integer not null,         -- how many the session had used
    state   text not null,            -- JSON, as the entry has it
    primary key (session, branch)
) without rowid;
create index branch_states_by_branch on branch_states (project, branch, at);

create table pull_requests (
    session text not null,
    sort    text not null,            -- pull_request, issue
    about   text not null,            -- its number; where that was not shown, its branch
    number  integer not null,
    project text not null,
    at      text not null,
    seq     integer not null,
    seen_on text not null,            -- the branch that was checked out
    title   text not null,
    url     text not null,
    state   text not null,
    branch  text not null,
    base    text not null,
    review  text not null,
    checks  text not null,            -- JSON: how many passed, failed, are pending; which failed
    checked_at text not null,
    primary key (session, sort, about)
) without rowid;
create index pull_requests_by_branch on pull_requests (project, branch, at) where branch <> '';
create index pull_requests_by_place on pull_requests (project, seen_on, sort, at);
create index pull_requests_by_number on pull_requests (project, sort, number, at);
create index pull_requests_by_owner on pull_requests (project, sort, number, branch);
create index pull_requests_unnumbered on pull_requests (project, branch, at) where number = 0;

create table review_comments (
    session text not null,
    number  integer not null,
    author  text not null,
    path    text not null,
    text    text not null,
    project text not null,
    at      text not null,
    seq     integer not null,
    primary key (session, number, author, path, text)
) without rowid;
create index review_comments_by_number on review_comments (project, number, at);

create table commits (
    session text not null,
    sha     text not null,
    project text not null,
    at      text not null,
    seq     integer not null,
    branch  text not null,
    subject text not null,
    primary key (session, sha)
) without rowid;
create index commits_by_branch on commits (project, branch, at);
create index commits_by_time on commits (project, at);

create table branch_parents (
    session text not null,
    branch  text not null,
    parent  text not null,
    project text not null,
    at      text not null,
    primary key (session, branch)
) without rowid;
create index branch_parents_by_branch on branch_parents (project, branch, at);
