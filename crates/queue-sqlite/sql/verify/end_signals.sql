-- A job that has other end signals than it owes, or owes some after its end, and signals without a
-- job that knows of them (I28).
WITH known AS (
  SELECT job.key & 0xffffffffff AS seq, coalesce(life.state, 0) IN (3, 4, 5) AS has_ended,
    iif(life.seq IS NULL, job.awaited >> 3, life.flags >> 5) AS code,
    (SELECT count(*) FROM queue_end_signal AS signal WHERE signal.seq = job.key & 0xffffffffff) AS signals
  FROM queue_job AS job LEFT JOIN queue_life AS life ON life.seq = job.key & 0xffffffffff
)
SELECT 'job ' || seq || ' has ' || signals || ' end signals, and is marked with ' || code FROM known
WHERE CASE code WHEN 0 THEN signals > 0 WHEN 1 THEN 0 ELSE signals <> code - 2 OR has_ended END
UNION ALL
SELECT DISTINCT 'the end signals of ' || seq || ' have no job' FROM queue_end_signal
WHERE seq NOT IN (SELECT key & 0xffffffffff FROM queue_job);
