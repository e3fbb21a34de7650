-- In: queue, line, kind, the number of the pause. The queue is locked.
INSERT INTO {schema}.line AS l (queue, line, kind, paused) VALUES ($1, $2, $3, $4)
ON CONFLICT (queue, kind) DO UPDATE SET paused = excluded.paused;
