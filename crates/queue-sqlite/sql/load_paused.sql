-- In: queue. Out: the number of the pause, and the marks, which say whether kinds are paused or
-- have jobs set aside, whether jobs are gated, and whether there are partitions or limits. Read
-- within each claim, since other processes change them too.
SELECT paused, marks FROM queue_name WHERE queue = ?1;
