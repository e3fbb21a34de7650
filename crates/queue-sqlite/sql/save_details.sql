-- In: seq, error_details. Replaces the details of the last failure.
INSERT INTO queue_outcome (seq, error_details) VALUES (?1, ?2)
ON CONFLICT (seq) DO UPDATE SET error_details = excluded.error_details;
