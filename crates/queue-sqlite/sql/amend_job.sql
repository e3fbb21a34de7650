-- In: key, priority, keep_completed, keep_failed. Of an amendment of a waiting job; its place among
-- the ready ones follows in the same transaction (I12, I20).
UPDATE queue_job SET priority = ?2, keep_completed = ?3, keep_failed = ?4 WHERE key = ?1;
