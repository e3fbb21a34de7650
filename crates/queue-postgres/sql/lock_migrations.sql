-- In: schema, plain. One process migrates a schema at a time. Ends with the transaction.
SELECT pg_advisory_xact_lock(hashtextextended('queue-postgres migration of ' || $1::text, 0));
