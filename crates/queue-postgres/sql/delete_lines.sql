-- In: queue, lines. Deletes those of them without jobs. They are locked, by a statement before this
-- one: so no job may enter them any more, and this one sees all that did.
DELETE FROM {schema}.line AS l
WHERE l.queue = $1 AND l.line = ANY ($2::smallint[]) AND (
  SELECT r.seq FROM {schema}.ready AS r
  WHERE r.queue = $1 AND r.priority BETWEEN l.line * 65536 - 32768 AND l.line * 65536 + 32767 AND r.seq > 0
  ORDER BY r.priority, r.run_at, r.seq LIMIT 1
) IS NULL;
