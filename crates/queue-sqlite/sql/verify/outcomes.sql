-- A job whose mark about its outcome is wrong.
SELECT 'job ' || seq || ' is wrong about having an outcome' FROM queue_job
WHERE (flags & 4 <> 0) <> (seq IN (SELECT seq FROM queue_outcome));
