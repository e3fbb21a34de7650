-- In: key, content_type, payload. Of an amendment of a waiting job.
UPDATE queue_job SET content_type = ?2, payload = ?3 WHERE key = ?1;
