-- A life without its job, or in another queue.
SELECT 'life ' || life.seq || ' has no job' FROM queue_life AS life
WHERE NOT EXISTS (SELECT 1 FROM queue_job AS job WHERE job.key = (life.queue << 40) + life.seq);
