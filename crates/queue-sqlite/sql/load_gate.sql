-- In: seq. Out: the gate of a job.
SELECT needs, completed, failed, cancelled, flags, closed_at FROM queue_gate WHERE seq = ?1;
