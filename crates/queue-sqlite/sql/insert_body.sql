-- In: seq, content_type, payload. Written once per life.
INSERT INTO queue_body (seq, content_type, payload) VALUES (?1, ?2, ?3);
