-- In: queue. Out: slot and number of jobs.
SELECT slot, jobs FROM queue_count WHERE queue = ?1;
