-- A life numbered beyond the last number given out.
SELECT 'job ' || max(key & 0xffffffffff) || ' is beyond the mark ' || (SELECT seq_mark FROM queue_store) FROM queue_job
HAVING max(key & 0xffffffffff) > (SELECT seq_mark FROM queue_store);
