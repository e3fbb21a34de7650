-- In: queue, now. Kinds whose pauses are over and of which no job is set aside.
DELETE FROM queue_kind
WHERE queue = ?1 AND paused <= ?2 AND NOT EXISTS (
  SELECT 1 FROM queue_aside AS aside WHERE aside.queue = ?1 AND aside.kind = queue_kind.kind
);
