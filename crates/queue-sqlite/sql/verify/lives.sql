-- A life that has columns of another state.
SELECT 'job ' || seq || ' in state ' || state || ' has columns of another state'
FROM queue_life
WHERE state NOT BETWEEN 0 AND 5
OR (state = 1) <> (expires_at IS NOT NULL)
OR (state = 1) <> (worker IS NOT NULL)
OR (state = 1) <> (token IS NOT NULL AND settled_event IS NULL)
OR (token IS NULL AND settled_event IS NOT NULL)
OR (state IN (3, 4, 5)) <> (finished_at IS NOT NULL)
OR (finished_at IS NULL AND purge_at IS NOT NULL)
OR CASE state WHEN 4 THEN coalesce(reason = 5, 1) WHEN 5 THEN reason <> 5 ELSE reason IS NOT NULL END -- 5 is expired
OR (error_name IS NULL) <> (error_message IS NULL)
OR (error_name IS NULL) <> (failed_at IS NULL)
OR (epoch = 0) <> (claimed_after IS NULL);
