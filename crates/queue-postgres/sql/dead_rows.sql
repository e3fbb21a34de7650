-- Out: how many removed rows of the hot tables could not be cleaned away yet, as the server's
-- statistics have it.
SELECT pg_stat_get_dead_tuples({ready}::regclass) + pg_stat_get_dead_tuples({lease}::regclass);
