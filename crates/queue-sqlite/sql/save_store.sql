-- In: seq_mark, time_mark, commits, recent. Written last in every transaction that changed anything
-- (I2, I24).
UPDATE queue_store SET seq_mark = ?1, time_mark = ?2, commits = ?3, recent = ?4 WHERE one = 1;
