-- In: queue, expires_at and seq of a place, now. Out: leases behind it that have lapsed, the
-- longest lapsed first. The lapsed predicate.
FROM queue_life AS life INDEXED BY queue_life_leased CROSS JOIN queue_job AS job ON job.key = (life.queue << 40) + life.seq
WHERE life.queue = ?1 AND (life.expires_at, life.seq) > (?2, ?3) AND life.expires_at <= ?4
ORDER BY life.expires_at, life.seq;
