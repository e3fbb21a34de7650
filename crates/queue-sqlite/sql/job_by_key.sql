-- In: key, id. Out: the job, if that life of that id is still there.
-- Settles come this way: look-ups in tables by their key, none in an index.
FROM queue_job AS job LEFT JOIN queue_life AS life ON life.seq = job.key & 0xffffffffff
WHERE job.key = ?1 AND job.id = ?2;
