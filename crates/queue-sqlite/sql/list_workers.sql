-- In: now. Out: id, queues, concurrency, held, host, about, duty of workers that have not
-- expired, by id.
SELECT id, queues, concurrency, held, host, about, duty
FROM queue_worker
WHERE expires_at > ?1
ORDER BY id;
