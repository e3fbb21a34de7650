-- Out: what does not add up, one line each. Reads every table once.
SELECT 'job ' || b.seq || ' has no state' FROM {schema}.body AS b
WHERE NOT EXISTS (SELECT 1 FROM {schema}.ready WHERE queue = b.queue AND seq = b.seq)
  AND NOT EXISTS (SELECT 1 FROM {schema}.lease WHERE queue = b.queue AND seq = b.seq)
  AND NOT EXISTS (SELECT 1 FROM {schema}.finished WHERE queue = b.queue AND seq = b.seq)
UNION ALL
SELECT 'job ' || seq || ' has ' || count(*) || ' states'
FROM (
  SELECT seq FROM {schema}.ready UNION ALL SELECT seq FROM {schema}.lease UNION ALL SELECT seq FROM {schema}.finished
) AS s
GROUP BY seq HAVING count(*) > 1
UNION ALL
SELECT s.place || ' ' || s.seq || ' has no body'
FROM (
  SELECT 'ready' AS place, seq, queue FROM {schema}.ready
  UNION ALL SELECT 'lease', seq, queue FROM {schema}.lease
  UNION ALL SELECT 'finished', seq, queue FROM {schema}.finished
) AS s
WHERE NOT EXISTS (SELECT 1 FROM {schema}.body AS b WHERE b.queue = s.queue AND b.seq = s.seq)
UNION ALL
SELECT 'job ' || r.seq || ' waits in priority ' || r.priority || ' and its body says ' || b.priority
FROM {schema}.ready AS r JOIN {schema}.body AS b ON b.queue = r.queue AND b.seq = r.seq
WHERE (r.priority - b.priority) % 65536 <> 0 AND r.priority <> 2162688
UNION ALL
SELECT 'job ' || s.seq || ' has another partition than its body' FROM (
  SELECT queue, seq, partition FROM {schema}.ready UNION ALL SELECT queue, seq, partition FROM {schema}.lease
) AS s JOIN {schema}.body AS b ON b.queue = s.queue AND b.seq = s.seq
WHERE s.partition IS DISTINCT FROM b.partition
UNION ALL
SELECT 'queue ' || b.queue || ' has partitions and no mark' FROM {schema}.body AS b
JOIN {schema}.queue AS q ON q.queue = b.queue WHERE b.partition IS NOT NULL AND NOT q.has_partitions
UNION ALL
-- With a due job and a slot, it stands in turn, or is to be looked at.
SELECT 'partition ' || r.partition || ' of queue ' || r.queue || ' is forgotten'
FROM (
  SELECT queue, partition, min(run_at) AS run_at FROM {schema}.ready
  WHERE partition IS NOT NULL AND priority >= 2195456 GROUP BY queue, partition
) AS r
LEFT JOIN {schema}.partition AS p ON p.queue = r.queue AND p.partition = r.partition
LEFT JOIN LATERAL {schema}.limit_of(r.queue, r.partition) AS m ON true
WHERE p.priority IS NULL AND (p.wake_at IS NULL OR p.wake_at > r.run_at)
  AND NOT EXISTS (SELECT 1 FROM {schema}.partition_slip AS s WHERE s.queue = r.queue AND s.partition = r.partition)
  AND coalesce(m.running > (
    SELECT count(*) FROM {schema}.lease AS l WHERE l.queue = r.queue AND l.partition = r.partition
  ), true)
UNION ALL
SELECT 'job ' || r.seq || ' is set aside in line ' || (r.priority - b.priority) / 65536 || ', which is not of its kind'
FROM {schema}.ready AS r JOIN {schema}.body AS b ON b.queue = r.queue AND b.seq = r.seq
WHERE r.priority <> {schema}.place(b.priority, b.partition) AND r.priority <> 2162688 AND (r.priority - b.priority) % 65536 = 0 AND NOT EXISTS (
  SELECT 1 FROM {schema}.line AS l
  WHERE l.queue = r.queue AND l.line = (r.priority - b.priority) / 65536 AND l.kind = b.kind
)
UNION ALL
SELECT 'queue ' || q.queue || ' is wrong about having lines' FROM {schema}.queue AS q
WHERE q.has_lines <> EXISTS (SELECT 1 FROM {schema}.line AS l WHERE l.queue = q.queue)
UNION ALL
SELECT 'job ' || r.seq || ' waits with ' || r.size || ' bytes and its body has ' || octet_length(b.payload)
FROM {schema}.ready AS r JOIN {schema}.body AS b ON b.queue = r.queue AND b.seq = r.seq
WHERE r.size <> octet_length(b.payload)
UNION ALL
SELECT DISTINCT 'priority ' || b.priority || ' of queue ' || r.queue || ' has no lane'
FROM {schema}.ready AS r JOIN {schema}.body AS b ON b.queue = r.queue AND b.seq = r.seq
WHERE NOT EXISTS (SELECT 1 FROM {schema}.lane AS l WHERE l.queue = r.queue AND l.priority = b.priority)
UNION ALL
SELECT 'job ' || b.seq || ' is in unnamed queue ' || b.queue FROM {schema}.body AS b
WHERE NOT EXISTS (SELECT 1 FROM {schema}.queue AS q WHERE q.queue = b.queue)
UNION ALL
SELECT 'job ' || seq || ' waits in state ' || state FROM {schema}.ready WHERE state NOT IN (0, 2)
UNION ALL
SELECT 'job ' || seq || ' is finished in state ' || state FROM {schema}.finished WHERE state NOT IN (3, 4, 5)
UNION ALL
SELECT 'job ' || seq || ' lapses before its deadline' FROM {schema}.lease WHERE expires_at < deadline
UNION ALL
SELECT 'job ' || seq || ' is wrong about having a result' FROM {schema}.finished
WHERE (state = 3) <> (result IS NOT NULL) OR (result IS NULL) <> (result_type IS NULL)
UNION ALL
SELECT 'job ' || seq || ' is wrong about having a reason' FROM {schema}.finished
WHERE CASE state WHEN 4 THEN coalesce(reason = 5, true) WHEN 5 THEN reason <> 5 ELSE reason IS NOT NULL END -- 5 is expired
UNION ALL
SELECT 'job ' || s.seq || ' is wrong about its last settle'
FROM (
  SELECT seq, settled_token, settled_event FROM {schema}.ready
  UNION ALL SELECT seq, settled_token, settled_event FROM {schema}.finished
) AS s
WHERE (s.settled_token IS NULL) <> (s.settled_event IS NULL)
UNION ALL
SELECT 'job ' || s.seq || ' is wrong about when it was claimed'
FROM (
  SELECT seq, epoch, claimed_at FROM {schema}.ready
  UNION ALL SELECT seq, epoch, claimed_at FROM {schema}.finished
) AS s
WHERE (s.epoch > 0) <> (s.claimed_at IS NOT NULL)
UNION ALL
SELECT 'job ' || s.seq || ' is wrong about its last error'
FROM (
  SELECT seq, failed_at, error_name FROM {schema}.ready
  UNION ALL SELECT seq, failed_at, error_name FROM {schema}.lease
  UNION ALL SELECT seq, failed_at, error_name FROM {schema}.finished
) AS s
WHERE (s.failed_at IS NULL) <> (s.error_name IS NULL)
UNION ALL
SELECT 'job ' || coalesce(x.seq, b.seq) || CASE WHEN x.tag IS NULL THEN ' is not found by its tag ' ELSE ' is found by the foreign tag ' END
  || coalesce(x.tag, b.tag)
FROM {schema}.tag AS x
FULL JOIN (
  SELECT b.queue, b.seq, tag.tag FROM {schema}.body AS b CROSS JOIN unnest(string_to_array(b.tags, E'\n')) AS tag (tag)
) AS b ON b.queue = x.queue AND b.tag = x.tag AND b.seq = x.seq
WHERE x.tag IS NULL OR b.tag IS NULL
UNION ALL
SELECT 'job ' || coalesce(s.seq, a.seq) || ' has ' || coalesce(a.attempts, 0) || ' attempts and '
  || CASE WHEN s.seq IS NULL THEN 'no mark' ELSE 'is marked to have some' END
FROM (
  SELECT queue, seq FROM {schema}.ready WHERE flags & 8 <> 0
  UNION ALL SELECT queue, seq FROM {schema}.lease WHERE flags & 8 <> 0
  UNION ALL SELECT queue, seq FROM {schema}.finished WHERE flags & 8 <> 0
) AS s
FULL JOIN (SELECT queue, seq, count(*) AS attempts FROM {schema}.attempt GROUP BY queue, seq) AS a
  ON a.queue = s.queue AND a.seq = s.seq
WHERE s.seq IS NULL OR a.seq IS NULL OR a.attempts > 10
UNION ALL
SELECT 'queue ' || queue || ' counts ' || sum(jobs) || ' too many ' || what
FROM (
  SELECT c.queue, v.what, v.jobs
  FROM (SELECT * FROM {schema}.total WHERE queue <> 0 UNION ALL SELECT * FROM {schema}.tally) AS c
  CROSS JOIN LATERAL (VALUES
    ('unfinished', c.unfinished), ('failing', c.failing), ('completed', c.completed), ('failed', c.failed),
    ('cancelled', c.cancelled)
  ) AS v (what, jobs)
  UNION ALL SELECT queue, 'unfinished', -count(*) FROM {schema}.ready GROUP BY queue
  UNION ALL SELECT queue, 'unfinished', -count(*) FROM {schema}.lease GROUP BY queue
  UNION ALL SELECT queue, 'failing', -count(*) FROM {schema}.ready WHERE state = 2 GROUP BY queue
  UNION ALL
  SELECT queue, CASE state WHEN 3 THEN 'completed' WHEN 4 THEN 'failed' ELSE 'cancelled' END, -count(*)
  FROM {schema}.finished GROUP BY queue, state
) AS s
WHERE EXISTS (SELECT 1 FROM {schema}.total WHERE queue = 0) -- else they are counted anew by whoever looks at them
GROUP BY queue, what HAVING sum(jobs) <> 0
UNION ALL
SELECT 'job ' || coalesce(s.seq, g.seq) || CASE WHEN s.seq IS NULL THEN ' has a gate and no mark' ELSE ' is marked to have a gate' END
FROM (
  SELECT queue, seq FROM {schema}.ready WHERE flags & 16 <> 0
  UNION ALL SELECT queue, seq FROM {schema}.lease WHERE flags & 16 <> 0
  UNION ALL SELECT queue, seq FROM {schema}.finished WHERE flags & 16 <> 0
) AS s
FULL JOIN {schema}.gate AS g ON g.queue = s.queue AND g.seq = s.seq
WHERE s.seq IS NULL OR g.seq IS NULL
UNION ALL
SELECT 'job ' || coalesce(s.seq, e.seq) || ' has other end signals than it owes'
FROM (
  SELECT queue, seq, flags, false AS ended FROM {schema}.ready WHERE flags & 96 <> 0
  UNION ALL SELECT queue, seq, flags, false FROM {schema}.lease WHERE flags & 96 <> 0
  UNION ALL SELECT queue, seq, flags, true FROM {schema}.finished WHERE flags & 96 <> 0
) AS s
FULL JOIN (SELECT queue, seq, count(*) AS signals FROM {schema}.end_signal GROUP BY queue, seq) AS e
  ON e.queue = s.queue AND e.seq = s.seq
WHERE s.seq IS NULL OR (s.flags & 32 <> 0 AND (s.ended OR s.flags & 64 <> 0 OR coalesce(e.signals, 0) <> s.flags >> 7))
UNION ALL
SELECT 'job ' || r.seq || ' waits behind a gate that is open' FROM {schema}.ready AS r
WHERE r.priority = 2162688 AND NOT EXISTS (
  SELECT 1 FROM {schema}.gate AS g WHERE g.queue = r.queue AND g.seq = r.seq AND g.closed_at = r.epoch
)
UNION ALL
SELECT 'job ' || g.seq || ' has a gate whose outcomes are not its signals' FROM {schema}.gate AS g
WHERE g.completed::numeric + g.failed + g.cancelled <> g.signals
UNION ALL
SELECT 'job ' || g.seq || ' has a gate that is complete and closed'
FROM {schema}.gate AS g JOIN {schema}.ready AS r ON r.queue = g.queue AND r.seq = g.seq AND r.epoch = g.closed_at
WHERE g.is_sealed AND (g.needs >= 0 AND g.signals >= g.needs)
  AND NOT EXISTS (SELECT 1 FROM {schema}.slip AS p WHERE p.queue = g.queue AND p.target = g.seq)
UNION ALL
SELECT 'queue ' || g.queue || ' has gates and no mark' FROM {schema}.gate AS g
JOIN {schema}.queue AS q ON q.queue = g.queue WHERE NOT q.has_gates
UNION ALL
SELECT 'job ' || max(b.seq) || ' is beyond the last number given out, ' || l.last_value
FROM {schema}.body AS b CROSS JOIN {schema}.life AS l GROUP BY l.last_value HAVING max(b.seq) > l.last_value;
