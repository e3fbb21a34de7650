-- In: nothing. Out: a row if the connection has a temporary table or view that is taken for one of
-- ours. What is temporary goes before what is in the file.
SELECT 1 FROM temp.sqlite_schema
WHERE type IN ('table', 'view') AND name COLLATE NOCASE IN (
  'queue_store', 'queue_name', 'queue_job', 'queue_life', 'queue_ready', 'queue_scheduled', 'queue_count', 'queue_worker',
  'queue_attempt', 'queue_failure', 'queue_tag', 'queue_kind', 'queue_aside', 'queue_gated', 'queue_gate', 'queue_end_signal',
  'queue_partition', 'queue_partition_ready', 'queue_limit', 'queue_turn'
)
LIMIT 1;
