-- In: floor. Out: store time, and the clock behind it.
WITH t AS MATERIALIZED (SELECT {time})
SELECT {stamp} FROM t;
