-- In: queue. Records whether the queue has lines, which closes it to `claim.sql`. The queue is
-- locked.
UPDATE {schema}.queue AS q SET has_lines = NOT has_lines
WHERE queue = $1 AND has_lines <> EXISTS (SELECT 1 FROM {schema}.line AS l WHERE l.queue = q.queue);
