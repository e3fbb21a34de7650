-- In: now. Out: id, queues, concurrency, running, host of workers that have not expired, by id.
SELECT id, queues, concurrency, running, host
FROM queue_worker
WHERE expires_at > ?1
ORDER BY id;
