-- In: seq. With the life that they were charged to.
DELETE FROM queue_attempt WHERE seq = ?1;
