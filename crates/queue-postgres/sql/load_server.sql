-- Out: what decides how this server is talked to and what it promises.
SELECT
  current_setting('server_version_num')::integer,
  current_setting('synchronous_commit'),
  current_setting('fsync'),
  pg_is_in_recovery(),
  current_setting('transaction_read_only') = 'on',
  current_setting('server_version');
