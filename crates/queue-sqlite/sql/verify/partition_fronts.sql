-- A partition that does not stand where its next job, its leases and its limit put it.
WITH wanted AS (
  SELECT part.*,
    iif(own.weight IS NULL, each.running, own.running) AS running,
    (SELECT min(priority) FROM queue_partition_ready AS ready
     WHERE ready.queue = part.queue AND ready.partition = part.partition) AS next
  FROM queue_partition AS part
  LEFT JOIN queue_limit AS own ON own.queue = part.queue AND own.scope = 2 AND own.partition = part.partition
  LEFT JOIN queue_limit AS each ON each.queue = part.queue AND each.scope = 0
)
SELECT 'partition ' || quote(partition) || ' of queue ' || queue || ' stands with priority ' || coalesce(front_priority, 'none')
  || ', and its next job has ' || coalesce(next, 'none') || ' with ' || leases || ' leases of ' || coalesce(running, 'any')
FROM wanted
WHERE front_priority IS NOT iif(running IS NULL OR leases < running, next, NULL)
  OR front_limited IS NOT iif(front_priority IS NULL, NULL, running IS NOT NULL)
  OR (turn IS NULL) <> (front_priority IS NULL)
  OR turn < 0;
