-- In: floor, queue, id. Out: now, the job, and each attempt that was charged to it, in no order;
-- one row at least, for the time.
WITH t AS MATERIALIZED (SELECT {time})
SELECT
  {stamp}, {job}, a.epoch, a.worker, a.claimed_at, a.ended_at, a.outcome, a.error_name, a.error_message
FROM t
LEFT JOIN LATERAL (SELECT * FROM {schema}.job WHERE queue = $2 AND id = $3 AND seq > 0 LIMIT 1) AS j
  ON j.purge_at IS NULL OR j.purge_at > t.now
LEFT JOIN LATERAL (
  SELECT * FROM {schema}.attempt WHERE queue = $2 AND seq = j.seq AND j.flags & 8 <> 0 LIMIT 10
) AS a ON true;
