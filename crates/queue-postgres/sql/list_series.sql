-- In: mark, series, where to begin: slot and text, the slot to end before, limit. Out: now, and
-- slot, writer and bytes of entries that have not expired, in order; one row without a slot if
-- there are none. Cost: the entries of these slots, by the primary key.
WITH t AS MATERIALIZED (SELECT {time})
SELECT {stamp}, s.slot, s.writer, s.bytes
FROM t LEFT JOIN LATERAL (
  SELECT slot, writer, bytes FROM {schema}.series
  WHERE series = $2::text AND (slot, writer) >= ($3::bigint, $4::text) AND slot < $5::bigint AND expires_at > t.now
  ORDER BY slot, writer LIMIT $6
) AS s ON true
ORDER BY s.slot, s.writer;
