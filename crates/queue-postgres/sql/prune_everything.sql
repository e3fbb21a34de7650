-- In: mark, queue, unused, limit, channel, origin.
-- Out: now, and each record that was removed: id, seq, revision; how many were looked at. Whoever
-- deletes the state may delete the body: a job that moves between tables at this moment is left
-- alone, body and all, and met by the next call.
WITH t AS MATERIALIZED (SELECT {time}),
doomed AS MATERIALIZED (
  SELECT seq FROM {schema}.body WHERE queue = $2 AND seq > 0 AND $3::bigint IS NULL ORDER BY id LIMIT $4
),
gone_ready AS (
  DELETE FROM {schema}.ready AS s USING doomed AS p WHERE s.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND s.seq BETWEEN p.seq AND p.seq
  RETURNING s.seq, s.revision, s.flags, s.state
),
gone_lease AS (
  DELETE FROM {schema}.lease AS s USING doomed AS p WHERE s.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND s.seq BETWEEN p.seq AND p.seq
  RETURNING s.seq, s.revision, s.flags, 1::smallint AS state
),
gone_finished AS (
  DELETE FROM {schema}.finished AS s USING doomed AS p WHERE s.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND s.seq BETWEEN p.seq AND p.seq
  RETURNING s.seq, s.revision, s.flags, s.state
),
gone AS MATERIALIZED (
  SELECT * FROM gone_ready UNION ALL SELECT * FROM gone_lease UNION ALL SELECT * FROM gone_finished
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
dropped AS (
  DELETE FROM {schema}.slip AS a USING gone AS p
  WHERE p.flags & 16 <> 0 AND a.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND a.target BETWEEN p.seq AND p.seq
),
forgotten AS (
  DELETE FROM {schema}.attempt AS a USING gone AS p
  WHERE p.flags & 8 <> 0 AND a.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND a.seq BETWEEN p.seq AND p.seq
),
lost AS MATERIALIZED (SELECT seq, id, revision, flags FROM gone JOIN bodies USING (seq)),
counted AS (
  INSERT INTO {schema}.tally (queue, unfinished, failing, completed, failed, cancelled)
  SELECT
    $2, -count(*) FILTER (WHERE state < 3), -count(*) FILTER (WHERE state = 2),
    -count(*) FILTER (WHERE state = 3), -count(*) FILTER (WHERE state = 4), -count(*) FILTER (WHERE state = 5)
  FROM gone HAVING count(*) > 0
),
told AS ({told_lost})
SELECT (SELECT sent FROM told), {stamp}, l.id, l.seq, l.revision, (SELECT count(*) FROM doomed)
FROM t LEFT JOIN lost AS l ON true;
