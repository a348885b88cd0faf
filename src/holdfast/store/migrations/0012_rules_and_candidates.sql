-- A rule that was only heard is a candidate: it holds in its own session. What makes it more is said
-- here or by a turn of it.
alter table rules add column is_order integer not null default 0; -- 1 typed as an order by itself
alter table rules add column heard_in text not null default '';   -- which prompt, by its digest
drop index if exists rules_by_project;
create index rules_by_time on rules (project, at);
create index rules_standing on rules (project) where how <> 'prompt' or is_order > 0;
