-- In: queue, partition, its counts and its front. They move in the transaction of the jobs that
-- they count (I25).
INSERT INTO queue_partition (queue, partition, leases, waiting, front_priority, front_limited, turn)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (queue, partition) DO UPDATE SET
  leases = excluded.leases,
  waiting = excluded.waiting,
  front_priority = excluded.front_priority,
  front_limited = excluded.front_limited,
  turn = excluded.turn;
