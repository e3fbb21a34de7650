-- A ready job ahead of its time (I11).
SELECT 'job ' || seq || ' is ready before its time' FROM queue_ready
WHERE run_at > (SELECT time_mark FROM queue_store);
