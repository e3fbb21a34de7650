-- In: queue, now. Out: how many gates have timed out by now and await promotion by a claim.
SELECT count(*) FROM queue_gated WHERE queue = ?1 AND run_at <= ?2;
