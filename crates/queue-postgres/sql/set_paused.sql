-- In: queue, the number of the pause, channel, origin.
WITH changed AS (UPDATE {schema}.queue SET paused = $2 WHERE queue = $1 AND paused <> $2 RETURNING queue)
SELECT (SELECT count(pg_notify($3::text, $4::text || E'\nw\t' || queue)) FROM changed WHERE $3::text IS NOT NULL);
