-- In: mark, queue, channel, origin; then columns of whole records, each column as long as there are
-- records, in the order in which these are numbered, with nulls for what they do not have.
-- Out: now, position, the new life if the record is stored, and whether its purge time has passed.
-- A record with neither has an id that is taken.
-- Guard: the id is free (I9), by the unique key. All or nothing, being one statement. Ids are
-- entered in their order, so that two batches with common ids wait for each other instead of both.
-- Keeps I1, I2, I13, I20, I24.
WITH t AS MATERIALIZED (SELECT {time}),
i AS MATERIALIZED (
  SELECT nextval({life}) AS seq, (i.purge_at <= (SELECT now FROM t)) IS TRUE AS is_purged, i.*
  FROM unnest(
    $5::text[], $6::text[], $7::smallint[], $8::bigint[], $9::bigint[], $10::smallint[], $11::smallint[], $12::bigint[],
    $13::bigint[], $14::bigint[], $15::bigint[], $16::bytea[], $17::bigint[],
    $18::smallint[], $19::bigint[], $20::bigint[], $21::bigint[], $22::bigint[],
    $23::text[], $24::text[], $25::bytea[], $26::bytea[], $27::text[], $28::text[], $29::text[], $30::bytea[],
    $31::text[], $32::bytea[], $33::text[]
  ) WITH ORDINALITY AS i (
    id, kind, priority, created_at, run_at, state, reason, revision, epoch, failures, stalls, terms, expires_in,
    flags, claimed_at, failed_at, finished_at, purge_at,
    error_name, error_message, error_details, progress, headers, tags, content_type, payload, result_type, result, partition, n
  )
),
fresh AS (
  INSERT INTO {schema}.body (
    seq, created_at, terms, expires_in, queue, priority, id, kind, headers, tags, partition, content_type, payload
  )
  SELECT
    seq, created_at, terms, expires_in, $2, priority, id, kind, headers, tags, partition, content_type, payload
  FROM i WHERE NOT is_purged ORDER BY id, seq
  ON CONFLICT (queue, id) WHERE seq > 0 DO NOTHING
  RETURNING seq
),
stored AS MATERIALIZED (SELECT * FROM i WHERE seq IN (SELECT seq FROM fresh)),
waiting AS (
  INSERT INTO {schema}.ready (
    seq, run_at, revision, epoch, failures, stalls, queue, size, priority, state, flags, claimed_at, failed_at,
    error_name, error_message, error_details, progress, partition
  )
  SELECT
    seq, run_at, revision, epoch, failures, stalls, $2, octet_length(payload), {schema}.place(priority, partition), state, flags, claimed_at,
    failed_at, error_name, error_message, error_details, progress, partition
  FROM stored WHERE state IN (0, 2)
),
ended AS (
  INSERT INTO {schema}.finished (
    seq, finished_at, purge_at, run_at, revision, epoch, failures, stalls, queue, state, flags, reason, claimed_at,
    failed_at, error_name, error_message, error_details, progress, result_type, result
  )
  SELECT
    seq, finished_at, purge_at, run_at, revision, epoch, failures, stalls, $2, state, flags, reason, claimed_at,
    failed_at, error_name, error_message, error_details, progress, result_type, result
  FROM stored WHERE state > 2
),
tagged AS (
  INSERT INTO {schema}.tag (queue, tag, seq)
  SELECT $2, tag.tag, i.seq FROM stored AS i CROSS JOIN unnest(string_to_array(i.tags, E'\n')) AS tag (tag)
),
counted AS (
  INSERT INTO {schema}.tally (queue, unfinished, failing, completed, failed, cancelled)
  SELECT
    $2, count(*) FILTER (WHERE state < 3), count(*) FILTER (WHERE state = 2), count(*) FILTER (WHERE state = 3),
    count(*) FILTER (WHERE state = 4), count(*) FILTER (WHERE state = 5)
  FROM stored HAVING count(*) > 0
)
SELECT
  {stamp}, i.n, CASE WHEN i.seq IN (SELECT seq FROM fresh) THEN i.seq END, i.is_purged,
  (SELECT count(pg_notify($3::text, concat_ws(E'\n', $4::text, concat_ws(E'\t', 'w', $2))))
   WHERE $3::text IS NOT NULL AND i.n = 1) AS sent
FROM t CROSS JOIN i;
