-- A waiting job that is not in exactly one of the five orders, or a job that stands there
-- and does not wait.
SELECT 'job ' || seq || ' stands ' || entries || ' times in the order of waiting jobs, not ' || wanted
FROM (
  SELECT job.key & 0xffffffffff AS seq,
    coalesce(life.state, 0) IN (0, 2) AS wanted,
    (SELECT count(*) FROM queue_ready AS entry WHERE entry.queue = job.queue AND entry.priority = job.priority
       AND entry.run_at = job.created_at + coalesce(life.run_after, job.run_after) AND entry.seq = job.key & 0xffffffffff)
    + (SELECT count(*) FROM queue_partition_ready AS entry INDEXED BY queue_partition_due WHERE entry.queue = job.queue
       AND entry.priority = job.priority AND entry.run_at = job.created_at + coalesce(life.run_after, job.run_after)
       AND entry.seq = job.key & 0xffffffffff)
    + (SELECT count(*) FROM queue_aside AS entry WHERE entry.queue = job.queue AND entry.kind = job.kind
       AND entry.priority = job.priority AND entry.run_at = job.created_at + coalesce(life.run_after, job.run_after)
       AND entry.seq = job.key & 0xffffffffff)
    + (SELECT count(*) FROM queue_scheduled AS entry WHERE entry.queue = job.queue
       AND entry.run_at = job.created_at + coalesce(life.run_after, job.run_after) AND entry.seq = job.key & 0xffffffffff)
    + (SELECT count(*) FROM queue_gated AS entry WHERE entry.queue = job.queue
       AND entry.run_at = job.created_at + coalesce(life.run_after, job.run_after) AND entry.seq = job.key & 0xffffffffff) AS entries
  FROM queue_job AS job LEFT JOIN queue_life AS life ON life.seq = job.key & 0xffffffffff
)
WHERE entries <> wanted;
