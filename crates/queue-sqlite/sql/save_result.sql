-- In: seq, result_type, result. Stores what a completed job left (I13).
INSERT INTO queue_outcome (seq, result_type, result) VALUES (?1, ?2, ?3)
ON CONFLICT (seq) DO UPDATE SET result_type = excluded.result_type, result = excluded.result;
