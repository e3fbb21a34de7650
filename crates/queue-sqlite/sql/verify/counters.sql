-- A counter that disagrees with the records, or is missing.
SELECT 'queue ' || queue || ' counts ' || sum(jobs) || ' too many in slot ' || slot
FROM (
  SELECT queue, slot, jobs FROM queue_count
  UNION ALL
  SELECT job.queue, coalesce(life.state, 0) AS state, -count(*)
  FROM queue_job AS job LEFT JOIN queue_life AS life ON life.seq = job.key & 0xffffffffff
  GROUP BY 1, 2
  UNION ALL
  SELECT queue, 6, -count(*) FROM queue_scheduled GROUP BY queue
  UNION ALL
  SELECT queue, 7, -count(*) FROM queue_gated GROUP BY queue
)
GROUP BY queue, slot
HAVING sum(jobs) <> 0;
