-- In: id, now, the duty, and the duty that no other takes the place of. Out: the duty then, or no
-- row if the worker is not there.
UPDATE queue_worker SET duty = iif(duty = ?4, ?4, ?3) WHERE id = ?1 AND expires_at > ?2 RETURNING duty;
