-- In: the seq of the sender, which of its signals it is, the id of the target, its life, flags.
INSERT INTO queue_end_signal (seq, nth, target, life, flags) VALUES (?1, ?2, ?3, ?4, ?5);
