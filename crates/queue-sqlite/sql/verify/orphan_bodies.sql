-- A payload without its job.
SELECT 'body ' || seq || ' has no job' FROM queue_body
WHERE seq NOT IN (SELECT seq FROM queue_job);
