-- In: seq.
DELETE FROM queue_outcome WHERE seq = ?1;
