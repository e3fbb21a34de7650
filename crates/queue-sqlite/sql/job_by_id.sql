-- In: queue, id. Out: the job that holds the id.
FROM queue_job AS job INDEXED BY queue_job_id LEFT JOIN queue_life AS life ON life.seq = job.key & 0xffffffffff
WHERE job.queue = ?1 AND job.id = ?2;
