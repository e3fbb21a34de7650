-- In: queue, now. Out: the lines whose pauses are over, locked, but for those that a claim holds at
-- this moment.
SELECT line FROM {schema}.line WHERE queue = $1 AND paused <= $2 FOR UPDATE SKIP LOCKED;
