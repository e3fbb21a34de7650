-- In: the channel of hints. Out: one row about the layout, the settings of this connection and the
-- sessions of the server. It reads the server's own views and no table of jobs.
SELECT
  (SELECT coalesce(max(version), 0) FROM {schema}.migration),
  current_setting('server_version'),
  current_setting('synchronous_commit'),
  current_setting('fsync') = 'on',
  current_setting('full_page_writes') = 'on',
  current_setting('autovacuum') = 'on' AND current_setting('track_counts') = 'on',
  current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint,
  s.clients, s.listeners, s.hidden,
  pg_notification_queue_usage()
FROM (
  SELECT
    count(*) FILTER (WHERE backend_type = 'client backend') AS clients,
    count(*) FILTER (WHERE query LIKE 'LISTEN%' AND strpos(query, $1) > 0) AS listeners,
    count(*) FILTER (WHERE query = '<insufficient privilege>') AS hidden
  FROM pg_stat_activity
) AS s;
