-- In: the number that lives go on behind. Out: nothing that matters.
-- Two sessions may read the sequence and set it at the same time as a third draws from it. So it is
-- set a billion further than asked: no session draws so many numbers between the look and the
-- write, and none is given twice (I2).
SELECT setval({life}, $1::bigint + 1000000000) FROM {schema}.life WHERE last_value < $1::bigint;
