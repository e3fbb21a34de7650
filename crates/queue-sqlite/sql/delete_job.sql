-- In: key.
DELETE FROM queue_job WHERE key = ?1;
