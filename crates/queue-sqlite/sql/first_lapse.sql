-- In: queue. Out: expires_at of the lease that lapses first.
SELECT expires_at
FROM queue_life INDEXED BY queue_life_leased
WHERE queue = ?1 AND expires_at IS NOT NULL
ORDER BY expires_at
LIMIT 1;
