-- In: queue, state, since when, seq. It leaves that state.
DELETE FROM queue_failure WHERE queue = ?1 AND state = ?2 AND at = ?3 AND seq = ?4;
