-- In: queue, state, two places of time and seq. Out: the jobs between them, the one that is there
-- longest first.
FROM queue_failure AS failure
CROSS JOIN queue_job AS job ON job.key = (failure.queue << 40) + failure.seq
LEFT JOIN queue_life AS life ON life.seq = failure.seq
WHERE failure.queue = ?1 AND failure.state = ?2 AND (failure.at, failure.seq) > (?3, ?4) AND (failure.at, failure.seq) < (?5, ?6)
ORDER BY failure.at, failure.seq;
