-- In: queue. Whether it has partitions or limits. Writes only where that has changed.
UPDATE queue_name SET marks = marks + iif(marks & 4, -4, 4)
WHERE queue = ?1 AND (marks & 4 <> 0) <> (
  EXISTS (SELECT 1 FROM queue_partition WHERE queue_partition.queue = ?1)
  OR EXISTS (SELECT 1 FROM queue_limit WHERE queue_limit.queue = ?1)
);
