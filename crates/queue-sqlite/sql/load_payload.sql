-- In: seq. Out: content_type, payload.
SELECT content_type, payload FROM queue_job WHERE seq = ?1;
