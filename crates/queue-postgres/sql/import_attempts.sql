-- In: queue, columns of attempts of records that were just stored (I7).
INSERT INTO {schema}.attempt (queue, seq, epoch, claimed_at, ended_at, outcome, worker, error_name, error_message)
SELECT $1, a.* FROM unnest(
  $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::smallint[], $7::text[], $8::text[], $9::text[]
) AS a;
