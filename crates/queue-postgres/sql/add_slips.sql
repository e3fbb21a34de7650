-- In: queue; of each slip the gate, how many raises it is, and what a suspend has seen, if it is of
-- one.
INSERT INTO {schema}.slip (queue, target, raises, seen)
SELECT $1, i.* FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS i;
