-- In: queue, tag, seq. With the job that has it.
INSERT INTO queue_tag (queue, tag, seq) VALUES (?1, ?2, ?3);
