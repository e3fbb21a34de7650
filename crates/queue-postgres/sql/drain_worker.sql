-- In: mark, id, the duty. Out: a row, if the worker is there.
UPDATE {schema}.worker SET duty = $3 WHERE id = $2 AND expires_at > {now} RETURNING duty;
