-- A life numbered beyond the last number given out.
SELECT 'job ' || max(seq) || ' is beyond the mark ' || (SELECT seq_mark FROM queue_store) FROM queue_job
HAVING max(seq) > (SELECT seq_mark FROM queue_store);
