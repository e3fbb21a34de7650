-- In: the first and the last key of lives that were to begin together. Out: none of them began.
DELETE FROM queue_job WHERE key BETWEEN ?1 AND ?2;
