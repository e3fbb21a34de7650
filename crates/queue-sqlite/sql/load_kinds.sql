-- In: queue. Out: kind and the number of its pause, in the order of names by bytes.
SELECT kind, paused FROM queue_kind WHERE queue = ?1 ORDER BY kind;
