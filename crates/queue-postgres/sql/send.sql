-- In: queue, seq, and how the job ended, as a state; channel, origin. Out: nothing that matters.
-- Sends the end signals of a job that has ended in this transaction, after what followed it, and
-- removes those of one that is gone.
WITH ended AS (SELECT $1::integer AS queue, $2::bigint AS seq, $3::smallint AS state),
{sends}unsigned AS (
  DELETE FROM {schema}.end_signal AS a WHERE a.queue = $1 AND a.seq = $2
    AND (SELECT b.seq FROM {schema}.body AS b WHERE b.queue = $1 AND b.seq = $2 LIMIT 1) IS NULL
),
woken AS (
  SELECT count(pg_notify($4::text, $5::text || E'\n' || concat_ws(E'\t', 'w', queue))) AS sent
  FROM (SELECT DISTINCT queue FROM sends) AS q
  WHERE $4::text IS NOT NULL
)
SELECT sent FROM woken;
