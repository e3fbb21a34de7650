-- A completed job without a result, or a result of another job (I13).
SELECT 'job ' || job.seq || ' is wrong about having a result'
FROM queue_job AS job LEFT JOIN queue_outcome AS outcome USING (seq)
WHERE (job.state = 3) <> (outcome.result IS NOT NULL);
