-- What speaks for the user is believed for its own session at once, and told to others when the
-- agent's own record has it: `stands` is 2 until then.
alter table rule_turns add column stands integer not null default 1;
-- Whether the hook hung below the agent as the hooks of its start did.
alter table prompts add column by_client integer not null default 0;
create index prompts_waiting on prompts (session) where stands = 2;

-- Events that are no prompts and wait in the same way.
create table awaited_calls (
    session   text not null,
    id        text not null,     -- of the event's entry
    machine   text not null,
    seq       integer not null,
    at        text not null,
    by_client integer not null,
    primary key (session, id)
) without rowid;
