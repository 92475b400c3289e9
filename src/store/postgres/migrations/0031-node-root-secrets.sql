-- compatible: yes. A nullable column, which the former release neither reads nor writes: a rotation waits until its nodes have gone.
-- What tells the current root secret of a node from others (root_secret.check_value); null: its release does not say so.
alter table nodes add column root_check text collate "C";
