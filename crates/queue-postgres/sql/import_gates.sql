-- In: queue; of each gate of records that were just stored the life, counts, whether it is sealed
-- and heeds urgent signals, and at which epoch it was closed. Moves those that wait to their place.
WITH i AS MATERIALIZED (
  SELECT * FROM unnest(
    $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::boolean[], $9::boolean[], $10::bigint[]
  ) AS i (seq, needs, signals, completed, failed, cancelled, is_sealed, heeds_urgent, closed_at)
),
added AS (
  INSERT INTO {schema}.gate (queue, seq, needs, signals, completed, failed, cancelled, is_sealed, heeds_urgent, closed_at)
  SELECT $1, i.* FROM i
)
UPDATE {schema}.ready AS r SET priority = 2162688 FROM i
WHERE r.epoch = i.closed_at AND r.queue = ANY (ARRAY[$1 + (i.seq * 0)::integer]) AND r.seq BETWEEN i.seq AND i.seq;
