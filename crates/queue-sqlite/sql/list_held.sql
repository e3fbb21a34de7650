-- In: queue, token. Out: the jobs leased under the token, in no order.
-- Looks at every lease of the queue: it is asked only after the answer to a claim was lost.
FROM queue_life AS life INDEXED BY queue_life_leased CROSS JOIN queue_job AS job ON job.key = (life.queue << 40) + life.seq
WHERE life.queue = ?1 AND life.expires_at IS NOT NULL AND life.token = ?2;
