-- In: the seq of a sender. Out: its signals, in the order in which they were given.
SELECT target, life, flags FROM queue_end_signal WHERE seq = ?1 ORDER BY nth;
