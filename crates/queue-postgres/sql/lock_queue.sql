-- In: mark, queue. Out: now, as the statement began. Others who would change the lines of the queue
-- wait until this transaction ends; its claims do not.
WITH t AS MATERIALIZED (SELECT {time})
SELECT {stamp} FROM t
LEFT JOIN (SELECT 1 AS one FROM {schema}.queue WHERE queue = $2 FOR NO KEY UPDATE) AS q ON true;
