-- In: queue. Whether it has gated jobs, by their counter, which was written before. Writes only
-- where that has changed.
UPDATE queue_name SET marks = marks + iif(marks & 2, -2, 2)
WHERE queue = ?1 AND (marks & 2 <> 0) <> EXISTS (
  SELECT 1 FROM queue_count WHERE queue_count.queue = ?1 AND slot = 7 AND jobs > 0
);
