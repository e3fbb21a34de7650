-- In: mark, queue. Out: now, and whether the queue is locked as by `lock_queue.sql`: not if
-- somebody else has locked it, for whom nobody waits here.
WITH t AS MATERIALIZED (SELECT {time}),
q AS MATERIALIZED (SELECT 1 FROM {schema}.queue WHERE queue = $2 FOR NO KEY UPDATE SKIP LOCKED)
SELECT {stamp}, EXISTS (SELECT 1 FROM q) FROM t;
