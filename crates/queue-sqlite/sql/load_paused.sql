-- In: queue. Out: paused. Read within each claim, since other processes pause too.
SELECT paused FROM queue_name WHERE queue = ?1;
