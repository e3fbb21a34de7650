-- In: key. Out: content_type, payload.
SELECT content_type, payload FROM queue_job WHERE key = ?1;
