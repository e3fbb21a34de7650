-- In: mark, queue, ids, unused, channel, origin.
-- Out: now, and each record past its purge time that held one of the ids, and was removed: id, seq,
-- revision. What `prune_expired.sql` does, for ids that are needed now.
WITH t AS MATERIALIZED (SELECT {time}),
doomed AS MATERIALIZED (
  SELECT f.seq FROM unnest($3::text[]) AS i (id)
  CROSS JOIN LATERAL (
    SELECT b.seq FROM {schema}.body AS b WHERE b.queue = $2 AND b.id = i.id AND b.seq > 0 LIMIT 1
  ) AS b
  JOIN {schema}.finished AS f ON f.queue = $2 AND f.seq = b.seq
  WHERE f.purge_at <= (SELECT now FROM t) AND $4::bigint IS NULL
  FOR UPDATE OF f
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
SELECT (SELECT sent FROM told), {stamp}, l.id, l.seq, l.revision
FROM t LEFT JOIN lost AS l ON true;
