-- A ready job ahead of its time (I11).
SELECT 'job ' || seq || ' is ready before its time' FROM (SELECT seq, run_at FROM queue_ready UNION ALL SELECT seq, run_at FROM queue_partition_ready
  UNION ALL SELECT seq, run_at FROM queue_aside)
WHERE run_at > (SELECT time_mark FROM queue_store);
