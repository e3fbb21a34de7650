-- In: floor, queue, limit, most of partitions with a limit, lease, token, worker, bytes, most jobs
-- to set aside, whether what came to gates was folded, until when the sender listens, channel,
-- origin.
-- Out: as of the function `claim_in_turn`.
SELECT * FROM {schema}.claim_in_turn($1, {by_server}, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);
