-- The order of entries is their number, not the clock. Where a machine's clock stood behind an
-- earlier entry of its own, the entry counts as from the time of that one.
create table ranks (
    place integer primary key,
    at    text not null
);

-- When a session began and was last active, in that order: a time, then the entry's number.
alter table sessions add column begun text not null default '';
alter table sessions add column active text not null default '';
update sessions set begun = started_at, active = last_active_at;
drop index sessions_by_project;
create index sessions_by_project on sessions (project, begun);
drop index sessions_by_branch;
create index sessions_by_branch on sessions (project, branch, begun);

alter table goals add column rank text not null default '';
update goals set rank = at;
alter table handoffs add column rank text not null default '';
update handoffs set rank = at;
alter table checkpoints add column rank text not null default '';
update checkpoints set rank = at;
drop index checkpoints_by_session;
create index checkpoints_by_session on checkpoints (session, rank);
drop index checkpoints_by_project;
create index checkpoints_by_project on checkpoints (project, rank);
alter table edits add column rank text not null default '';
update edits set rank = at;
alter table evidence add column rank text not null default '';
update evidence set rank = at;
alter table contracts add column rank text not null default '';
update contracts set rank = at;
alter table gate_switches add column rank text not null default '';
update gate_switches set rank = at;
alter table gate_acts add column rank text not null default '';
update gate_acts set rank = at;
drop index gate_acts_by_whose;
create index gate_acts_by_whose on gate_acts (project, branch, whose, requirement, act, rank);
