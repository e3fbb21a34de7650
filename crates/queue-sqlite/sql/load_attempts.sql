-- In: seq. Out: the attempts that were charged to a life, the oldest first.
SELECT epoch, outcome, claimed_at, ended_at, worker, error_name, error_message
FROM queue_attempt
WHERE seq = ?1
ORDER BY epoch;
