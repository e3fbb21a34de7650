-- In: queue, kind, limit. Out: priority, run_at and seq of the first jobs that were set aside, and
-- the columns that say of which partition each is.
SELECT aside.priority, aside.run_at, aside.seq, job.awaited, job.terms
FROM queue_aside AS aside CROSS JOIN queue_job AS job ON job.key = (aside.queue << 40) + aside.seq
WHERE aside.queue = ?1 AND aside.kind = ?2
ORDER BY aside.priority, aside.run_at, aside.seq
LIMIT ?3;
