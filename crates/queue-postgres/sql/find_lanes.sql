-- In: queue. Out: the priorities that it has ever used.
SELECT priority FROM {schema}.lane WHERE queue = $1;
