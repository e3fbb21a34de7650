-- In: id, now, the duty. Touches no row if the worker is not there.
UPDATE queue_worker SET duty = ?3 WHERE id = ?1 AND expires_at > ?2;
