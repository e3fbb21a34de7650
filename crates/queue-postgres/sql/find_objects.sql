-- In: schema, plain. Out: its oid, none if there is no such schema; whether it has the table
-- `migration`; whether it has a table `body`.
SELECT
  (SELECT oid::bigint FROM pg_namespace WHERE nspname = $1::text),
  EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = $1::text AND tablename = 'migration'),
  EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = $1::text AND tablename = 'body');
