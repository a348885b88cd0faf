-- So that what a hook asks is answered without reading a project's whole past.
-- What was withdrawn lately, and since when; the shorter index is a part of it.
drop index if exists turns_by_project;
create index turns_by_project on turns (project, turn, at);

-- The last act of each sort on each requirement: for a branch, and for a session on it.
create index gate_acts_by_whose on gate_acts (project, branch, whose, requirement, act, at, seq);
create index gate_switches_by_whose on gate_switches (project, whose);

-- What is open among all that ever was; what is at work in our own list.
alter table items add column is_open integer not null default 1; -- no row of `resolutions` names it
update items set is_open = 0 where id in (select item from resolutions);
create index items_open on items (project, at) where is_open = 1;
create index tracked_by_stage on tracked (project, stage, item);
