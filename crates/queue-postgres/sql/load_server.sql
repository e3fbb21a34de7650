-- In: names and values of the settings that connections shall have.
-- Out: what decides how this server is talked to and what it promises, and whether this connection
-- has them all.
SELECT
  current_setting('server_version_num')::integer,
  current_setting('synchronous_commit'),
  current_setting('fsync'),
  pg_is_in_recovery(),
  current_setting('transaction_read_only') = 'on',
  current_setting('server_version'),
  (SELECT bool_and(current_setting(name) = value) FROM unnest($1::text[], $2::text[]) AS s (name, value));
