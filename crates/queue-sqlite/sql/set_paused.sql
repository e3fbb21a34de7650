-- In: queue, the number of the pause. Out: a changed row only if it moved.
UPDATE queue_name SET paused = ?2 WHERE queue = ?1 AND paused <> ?2;
