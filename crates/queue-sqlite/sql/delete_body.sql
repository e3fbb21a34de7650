-- In: seq.
DELETE FROM queue_body WHERE seq = ?1;
