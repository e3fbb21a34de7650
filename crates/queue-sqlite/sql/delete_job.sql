-- In: seq.
DELETE FROM queue_job WHERE seq = ?1;
