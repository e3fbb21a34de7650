-- In: mark, id, queues, concurrency, held, host, ttl, about. Out: its duty. Presence, for
-- people; those that expired leave on the way, unless they announce themselves at this moment:
-- workers that come back together must not wait in a circle. What was asked of one that had expired
-- is not asked of the one that comes back.
WITH expired AS (
  DELETE FROM {schema}.worker WHERE id IN (
    SELECT id FROM {schema}.worker WHERE expires_at <= {now} AND id <> $2 FOR UPDATE SKIP LOCKED
  )
)
INSERT INTO {schema}.worker AS shown (id, queues, concurrency, held, host, expires_at, about)
VALUES ($2, $3, $4, $5, $6, {now} + $7::bigint, $8)
ON CONFLICT (id) DO UPDATE SET
  queues = excluded.queues, concurrency = excluded.concurrency, held = excluded.held, host = excluded.host,
  expires_at = excluded.expires_at, about = excluded.about,
  duty = CASE WHEN shown.expires_at > {now} THEN shown.duty ELSE excluded.duty END
RETURNING duty;
