-- In: name. Out: queue, or no row if nothing was ever enqueued, paused or limited under that name.
SELECT queue FROM queue_name WHERE name = ?1;
