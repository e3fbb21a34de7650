-- In: queue, state, since when, seq. A job comes into a state in which people look for it.
INSERT INTO queue_failure (queue, state, at, seq) VALUES (?1, ?2, ?3, ?4);
