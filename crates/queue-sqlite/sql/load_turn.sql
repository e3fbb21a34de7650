-- In: queue. Out: the turn that was taken last, and where the jobs without a partition stood then.
SELECT present, line_priority, line_turn FROM queue_turn WHERE queue = ?1;
