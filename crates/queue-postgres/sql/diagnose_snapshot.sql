-- Out: what keeps removed rows from being cleaned away for longest: what it is, how many
-- transactions ago it began, and how many seconds. No row if nothing does.
SELECT holder, age, seconds
FROM (
  SELECT
    concat('process ', pid, ' of the user ', usename, ' (', coalesce(nullif(application_name, ''), 'no name'), ', ', state, ')') AS holder,
    greatest(age(backend_xmin), age(backend_xid))::bigint AS age,
    extract(epoch FROM clock_timestamp() - xact_start)::bigint AS seconds
  FROM pg_stat_activity
  WHERE (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) AND pid <> pg_backend_pid()
    AND backend_type <> 'autovacuum worker' AND (datname = current_database() OR datname IS NULL)
  UNION ALL
  SELECT
    concat('the prepared transaction ', gid), age(transaction)::bigint,
    extract(epoch FROM clock_timestamp() - prepared)::bigint
  FROM pg_prepared_xacts WHERE database = current_database()
  UNION ALL
  SELECT concat('the replication slot ', slot_name), greatest(age(xmin), age(catalog_xmin))::bigint, NULL::bigint
  FROM pg_replication_slots WHERE xmin IS NOT NULL OR catalog_xmin IS NOT NULL
) AS held
ORDER BY age DESC, seconds DESC NULLS LAST
LIMIT 1;
