-- Of what a proof covers the digest; '' where only edits tell whether it still counts.
alter table evidence add column tree text not null default '';
