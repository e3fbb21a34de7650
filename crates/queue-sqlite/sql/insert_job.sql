-- In: the parts of a new life. Out: no row changed if the id is taken; the caller then asks
-- lifecycle::admit. Guard: the unique key (queue, id) (I9).
INSERT INTO queue_job (
  key, queue, id, kind, priority, created_at, run_after, terms, awaited, expires_in, tags, headers, content_type, payload
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
ON CONFLICT (queue, id) DO NOTHING;
