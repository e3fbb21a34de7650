-- In: the schema. Out: for each table that jobs pass through its live and dead rows and its bytes,
-- as the server's statistics have them, whether autovacuum may clean it, and how many seconds ago
-- it last did.
SELECT
  c.relname::text,
  pg_stat_get_live_tuples(c.oid),
  pg_stat_get_dead_tuples(c.oid),
  pg_relation_size(c.oid),
  coalesce(c.reloptions && ARRAY['autovacuum_enabled=false', 'autovacuum_enabled=off', 'autovacuum_enabled=0'], false),
  extract(epoch FROM clock_timestamp() - pg_stat_get_last_autovacuum_time(c.oid))::bigint
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname IN ('ready', 'lease', 'tally', 'body', 'finished');
