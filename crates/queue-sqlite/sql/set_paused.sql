-- In: queue, paused. Out: a changed row only if the flag moved.
UPDATE queue_name SET paused = ?2 WHERE queue = ?1 AND paused <> ?2;
