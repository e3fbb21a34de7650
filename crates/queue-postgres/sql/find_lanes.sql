-- In: queue. Out: the priorities that it has ever used.
SELECT priority::smallint FROM {schema}.lane WHERE queue = $1;
