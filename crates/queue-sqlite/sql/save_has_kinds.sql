-- In: queue. Writes only where that has changed.
UPDATE queue_name SET marks = marks + iif(marks & 1, -1, 1)
WHERE queue = ?1 AND (marks & 1 <> 0) <> EXISTS (SELECT 1 FROM queue_kind WHERE queue_kind.queue = ?1);
