-- In: queue, lives that `reserve_ids.sql` made in this transaction. Deletes them.
DELETE FROM {schema}.body WHERE queue = $1 AND seq = ANY ($2::bigint[]);
