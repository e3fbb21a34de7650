-- A job without its payload.
SELECT 'job ' || seq || ' has no body' FROM queue_job
WHERE seq NOT IN (SELECT seq FROM queue_body);
