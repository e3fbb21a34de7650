-- In: seq.
DELETE FROM queue_gate WHERE seq = ?1;
