-- In: mark, queue, age, limit, channel, origin.
-- Out: now, and each record that finished at least so long ago and was removed: id, seq, revision;
-- how many were looked at. Who is busy with one is not waited for. Walks the queue's part of the
-- index, which holds finished_at.
WITH t AS MATERIALIZED (SELECT {time}),
doomed AS MATERIALIZED (
  SELECT f.seq FROM {schema}.finished AS f
  WHERE f.queue = $2
    AND f.seq > 0 AND f.finished_at <= (SELECT now FROM t) - $3::bigint
  ORDER BY f.purge_at, f.finished_at
  LIMIT $4
  FOR UPDATE SKIP LOCKED
),
gone AS (
  DELETE FROM {schema}.finished AS s USING doomed AS p WHERE s.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND s.seq BETWEEN p.seq AND p.seq
  RETURNING s.seq, s.revision, s.flags, s.state
),
bodies AS (
  DELETE FROM {schema}.body AS b USING gone AS p WHERE b.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND b.seq BETWEEN p.seq AND p.seq
  RETURNING b.seq, b.id, b.tags
),
untagged AS (
  DELETE FROM {schema}.tag WHERE ctid = ANY (ARRAY(
    SELECT x.ctid FROM (SELECT b.seq, tag.tag FROM bodies AS b CROSS JOIN unnest(string_to_array(b.tags, E'\n')) AS tag (tag)) AS p
    CROSS JOIN LATERAL (
      SELECT ctid FROM {schema}.tag AS x WHERE x.queue = $2 AND x.tag = p.tag AND x.seq = p.seq LIMIT 1
    ) AS x
  ))
),
{ungated}
forgotten AS (
  DELETE FROM {schema}.attempt AS a USING gone AS p
  WHERE p.flags & 8 <> 0 AND a.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND a.seq BETWEEN p.seq AND p.seq
),
lost AS MATERIALIZED (SELECT seq, id, revision, flags FROM gone JOIN bodies USING (seq)),
counted AS (
  INSERT INTO {schema}.tally (queue, completed, failed, cancelled)
  SELECT
    $2, -count(*) FILTER (WHERE state = 3), -count(*) FILTER (WHERE state = 4), -count(*) FILTER (WHERE state = 5)
  FROM gone HAVING count(*) > 0
),
told AS ({told_lost})
SELECT (SELECT sent FROM told), {stamp}, l.id, l.seq, l.revision, (SELECT count(*) FROM doomed)
FROM t LEFT JOIN lost AS l ON true;
