-- A job in a lane, or with a lease or times, that its state does not have.
SELECT 'job ' || seq || ' in state ' || state || ' stands in lane ' || lane || ' or has columns of another state'
FROM queue_job
WHERE NOT CASE state
  WHEN 0 THEN lane IN (0, 1)
  WHEN 2 THEN lane IN (0, 1)
  WHEN 1 THEN lane = 2
  ELSE lane = 3
END
OR (lane = 2) <> (expires_at IS NOT NULL)
OR (lane = 2) <> (worker IS NOT NULL)
OR (lane = 2) <> (token IS NOT NULL)
OR (lane = 3) <> (finished_at IS NOT NULL)
OR (lane <> 3 AND purge_at IS NOT NULL)
OR (state = 4) <> (reason IS NOT NULL)
OR (settled_token IS NULL) <> (settled_event IS NULL);
