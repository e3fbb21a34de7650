-- In: the parts of a new life. Out: no row changed if the id is taken; the caller then asks
-- lifecycle::admit. Guard: the unique key (queue, id) (I9).
INSERT INTO queue_job (
  key, queue, id, kind, priority, created_at, run_after, max_attempts, max_stalls, keep_completed, keep_failed,
  awaited, expires_in, time_limit, on_failure, tags, headers, content_type, payload
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
ON CONFLICT (queue, id) DO NOTHING;
