-- A job in the ready lane ahead of its time (I11).
SELECT 'job ' || seq || ' is ready before its time' FROM queue_job
WHERE lane = 0 AND run_at > (SELECT time_mark FROM queue_store);
