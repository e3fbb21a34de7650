-- In: queue, tag, seq. With the job that had it.
DELETE FROM queue_tag WHERE queue = ?1 AND tag = ?2 AND seq = ?3;
