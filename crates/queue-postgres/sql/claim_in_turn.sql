-- In: floor, queue; the limit of each claim, the most jobs of partitions with a limit that they
-- take together; the lease, token and worker of each; bytes, most jobs to set aside, whether what
-- came to gates was folded; until when the sender of each listens; channel, origin.
-- Out: as of the function `claim_in_turn`.
SELECT * FROM {schema}.claim_in_turn($1, {by_server}, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);
