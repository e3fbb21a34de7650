-- In: two keys. Out: jobs between them, the oldest first: those of one queue, or a part of it.
FROM queue_job AS job LEFT JOIN queue_life AS life ON life.seq = job.key & 0xffffffffff
WHERE job.key > ?1 AND job.key < ?2
ORDER BY job.key;
