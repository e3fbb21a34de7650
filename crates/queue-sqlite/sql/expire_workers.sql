-- In: now. Removes workers that stopped announcing themselves.
DELETE FROM queue_worker INDEXED BY queue_worker_expiry WHERE expires_at <= ?1;
