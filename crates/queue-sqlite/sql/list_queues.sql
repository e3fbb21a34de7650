-- In: where to begin, limit. Out: number, name and whether it is paused, of each queue that was
-- ever enqueued to or paused, in the order of names by bytes.
SELECT queue, name, paused FROM queue_name WHERE name >= ?1 ORDER BY name LIMIT ?2;
