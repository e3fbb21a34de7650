-- In: seq, revision. Out: no row changed if the job has another revision by now.
DELETE FROM queue_life WHERE seq = ?1 AND revision = ?2;
