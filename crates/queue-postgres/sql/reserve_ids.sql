-- In: queue, ids in their order. Out: lives that stand for those that were free. Whoever enters one
-- of these ids waits until this transaction ends, also once `free_ids.sql` has deleted the lives.
INSERT INTO {schema}.body (seq, created_at, queue, priority, id, kind, content_type, payload)
SELECT nextval({life}), 0, $1, 0, i.id, '', '', ''
FROM unnest($2::text[]) AS i (id)
ON CONFLICT (queue, id) WHERE seq > 0 DO NOTHING
RETURNING seq;
