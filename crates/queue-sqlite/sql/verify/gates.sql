-- A gate that is not that of its job, has a state that no step leaves, or lies in the wrong order;
-- and a queue that is wrong about having gated jobs (I29).
SELECT 'job ' || known.seq || ' is wrong about having a gate' FROM (
  SELECT job.key & 0xffffffffff AS seq, iif(life.seq IS NULL, job.awaited & 2, life.flags & 16) <> 0 AS has_gate
  FROM queue_job AS job LEFT JOIN queue_life AS life ON life.seq = job.key & 0xffffffffff
) AS known WHERE has_gate <> EXISTS (SELECT 1 FROM queue_gate AS gate WHERE gate.seq = known.seq)
UNION ALL
SELECT 'gate ' || seq || ' has no job' FROM queue_gate WHERE seq NOT IN (SELECT key & 0xffffffffff FROM queue_job)
UNION ALL
SELECT 'job ' || gate.seq || ' has a gate of a later claim' FROM queue_gate AS gate LEFT JOIN queue_life AS life USING (seq)
WHERE closed_at > coalesce(epoch, 0)
UNION ALL
SELECT 'job ' || gate.seq || ' has a gate that is complete and closed' FROM queue_gate AS gate LEFT JOIN queue_life AS life USING (seq)
WHERE coalesce(state, 0) IN (0, 2) AND closed_at = coalesce(epoch, 0)
  AND gate.flags & 1 AND needs BETWEEN 0 AND completed + gate.failed + cancelled
UNION ALL
SELECT 'job ' || entry.seq || ' is ' || iif(is_gated, 'gated without', 'scheduled behind') || ' a closed gate' FROM (
  SELECT seq, 1 AS is_gated FROM queue_gated UNION ALL SELECT seq, 0 FROM queue_scheduled
) AS entry LEFT JOIN queue_life AS life ON life.seq = entry.seq
WHERE is_gated <> EXISTS (SELECT 1 FROM queue_gate AS gate WHERE gate.seq = entry.seq AND closed_at = coalesce(life.epoch, 0))
UNION ALL
SELECT 'queue ' || queue || ' is wrong about having gated jobs' FROM queue_name
WHERE (marks & 2 <> 0) <> EXISTS (SELECT 1 FROM queue_gated AS entry WHERE entry.queue = queue_name.queue);
