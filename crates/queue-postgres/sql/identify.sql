-- In: the schema. Out: which server, database and tables a connection leads to. The server's number
-- was drawn when it was made; its standbys have the same, so that it stays after a failover.
SELECT
  (SELECT system_identifier FROM pg_control_system()),
  (SELECT oid::bigint FROM pg_database WHERE datname = current_database()),
  (SELECT c.oid::bigint FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
   WHERE n.nspname = $1 AND c.relname = 'body');
