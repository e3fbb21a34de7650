-- In: queue. Keeps claims in turn of the queue waiting until the transaction ends.
SELECT {schema}.lock_turns($1);
