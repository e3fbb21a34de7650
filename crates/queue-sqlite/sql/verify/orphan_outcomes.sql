-- An outcome without its job.
SELECT 'outcome ' || seq || ' has no job' FROM queue_outcome
WHERE seq NOT IN (SELECT seq FROM queue_job);
