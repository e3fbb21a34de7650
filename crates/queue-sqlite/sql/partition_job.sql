-- In: queue, partition. Out: its first due job (I12), with payload and outcome. Every entry is due
-- (I11).
  , job.headers, job.content_type, job.payload, life.result_type, life.result, life.error_details
FROM queue_partition_ready AS waiting
CROSS JOIN queue_job AS job ON job.key = (waiting.queue << 40) + waiting.seq
LEFT JOIN queue_life AS life ON life.seq = waiting.seq
WHERE waiting.queue = ?1 AND waiting.partition = ?2
ORDER BY waiting.priority, waiting.run_at, waiting.seq
LIMIT 1;
