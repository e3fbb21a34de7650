-- In: queue; of each end signal of records that were just stored the life that sends it, its number
-- there, the id that it is to, and its bits. One to a job that comes later goes by the id.
INSERT INTO {schema}.end_signal (queue, seq, n, target, to_id, bits)
SELECT
  $1, i.seq, i.n,
  (SELECT b.seq FROM {schema}.body AS b WHERE b.queue = $1 AND b.id = i.to_id AND b.seq > 0 AND b.seq < i.seq LIMIT 1),
  i.to_id, i.bits
FROM unnest($2::bigint[], $3::smallint[], $4::text[], $5::smallint[]) AS i (seq, n, to_id, bits);
