-- In: queue, limit. Out: jobs in any state.
FROM queue_job AS job INDEXED BY queue_job_id LEFT JOIN queue_life AS life ON life.seq = job.key & 0xffffffffff
WHERE job.queue = ?1
LIMIT ?2;
