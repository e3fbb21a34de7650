-- In: where to begin, limit. Out: number, name, the number of the pause and the marks of each queue
-- that was ever enqueued to, paused or limited, in the order of names by bytes.
SELECT queue, name, paused, marks FROM queue_name WHERE name >= ?1 ORDER BY name LIMIT ?2;
