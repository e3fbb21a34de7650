-- In: key, content_type. Of a redrive that mends it; the bytes of the payload stay.
UPDATE queue_job SET content_type = ?2 WHERE key = ?1;
