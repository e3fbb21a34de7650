-- In: key. Out: headers, content_type, payload.
SELECT headers, content_type, payload FROM queue_job WHERE key = ?1;
