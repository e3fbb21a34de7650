-- A counter that disagrees with the records, or is missing.
SELECT 'queue ' || queue || ' counts ' || sum(jobs) || ' too many in slot ' || slot
FROM (
  SELECT queue, slot, jobs FROM queue_count
  UNION ALL
  SELECT queue, state, -count(*) FROM queue_job GROUP BY queue, state
  UNION ALL
  SELECT queue, 6, -count(*) FROM queue_job WHERE lane = 1 GROUP BY queue
)
GROUP BY queue, slot
HAVING sum(jobs) <> 0;
