-- The session that was asked something last on a branch, and what was merged into a thread, by index alone.
create index thread_branches_by_time on thread_branches (project, branch, max(at, ended_at));
create index thread_turns_by_merged on thread_turns (words) where turn = 'merged';
