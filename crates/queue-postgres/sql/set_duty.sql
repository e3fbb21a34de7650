-- In: mark, id, the duty, and the duty that no other takes the place of. Out: the duty then, if the
-- worker is there.
UPDATE {schema}.worker SET duty = CASE WHEN duty = $4 THEN $4 ELSE $3 END WHERE id = $2 AND expires_at > {now} RETURNING duty;
