-- In: the seq of a sender.
DELETE FROM queue_end_signal WHERE seq = ?1;
