-- In: id, queues, concurrency, running, host, expires_at.
INSERT INTO queue_worker (id, queues, concurrency, running, host, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (id) DO UPDATE SET
  queues = excluded.queues,
  concurrency = excluded.concurrency,
  running = excluded.running,
  host = excluded.host,
  expires_at = excluded.expires_at;
