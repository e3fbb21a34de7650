-- In: the parts of a gate. The counts come from lifecycle::raise and lifecycle::receive (I28, I29).
INSERT INTO queue_gate (seq, needs, completed, failed, cancelled, flags, closed_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (seq) DO UPDATE SET
  needs = excluded.needs,
  completed = excluded.completed,
  failed = excluded.failed,
  cancelled = excluded.cancelled,
  flags = excluded.flags,
  closed_at = excluded.closed_at;
