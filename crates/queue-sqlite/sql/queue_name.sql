-- In: queue. Out: its name.
SELECT name FROM queue_name WHERE queue = ?1;
