-- In: queue. Out: its leased jobs, in no order.
FROM queue_life AS life INDEXED BY queue_life_leased CROSS JOIN queue_job AS job ON job.key = (life.queue << 40) + life.seq
WHERE life.queue = ?1 AND life.expires_at IS NOT NULL;
