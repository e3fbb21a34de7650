-- In: key, priority, terms. Of an amendment of a waiting job; its place among
-- the ready ones follows in the same transaction (I12, I20).
UPDATE queue_job SET priority = ?2, terms = ?3 WHERE key = ?1;
