-- In: version. Written in the transaction of the migration, so that each runs once however many
-- processes start.
INSERT INTO queue_schema (version, applied_at) VALUES (?1, datetime('now'));
