-- In: queue. It has neither partitions nor limits any more, by its mark.
DELETE FROM queue_turn WHERE queue = ?1 AND EXISTS (SELECT 1 FROM queue_name WHERE queue_name.queue = ?1 AND marks & 4 = 0);
