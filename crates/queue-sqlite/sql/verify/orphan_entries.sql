-- An entry among the waiting jobs that is not that of its job.
SELECT 'entry ' || seq || ' among the waiting jobs has no job' FROM (
  SELECT queue, seq, run_at, priority, '' AS partition FROM queue_ready
  UNION ALL
  SELECT queue, seq, run_at, priority, partition FROM queue_partition_ready
  UNION ALL
  SELECT queue, seq, run_at, priority, NULL FROM queue_aside
  UNION ALL
  SELECT queue, seq, run_at, NULL, NULL FROM queue_scheduled
  UNION ALL
  SELECT queue, seq, run_at, NULL, NULL FROM queue_gated
) AS entry
WHERE NOT EXISTS (
  SELECT 1 FROM queue_job AS job LEFT JOIN queue_life AS life ON life.seq = job.key & 0xffffffffff
  WHERE job.key = (entry.queue << 40) + entry.seq
    AND job.priority = coalesce(entry.priority, job.priority)
    AND iif(entry.partition IS NULL, 1, entry.partition = iif(job.awaited & 4, CAST(substr(job.terms, 1, instr(job.terms, x'00') - 1) AS TEXT), ''))
    AND job.created_at + coalesce(life.run_after, job.run_after) = entry.run_at
);
