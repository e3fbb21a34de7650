-- In: id, queues, concurrency, held, host, expires_at, about. Out: its duty, as somebody asked
-- before. Rows that ran out are removed before this, or their wishes would be those of a worker
-- that came back.
INSERT INTO queue_worker (id, queues, concurrency, held, host, expires_at, about)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (id) DO UPDATE SET
  queues = excluded.queues,
  concurrency = excluded.concurrency,
  held = excluded.held,
  host = excluded.host,
  expires_at = excluded.expires_at,
  about = excluded.about
RETURNING duty;
