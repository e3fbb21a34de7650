-- In: queue. Out: the number of the pause, and whether kinds are paused or have jobs set aside.
-- Read within each claim, since other processes pause too.
SELECT paused, has_kinds FROM queue_name WHERE queue = ?1;
