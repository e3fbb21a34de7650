-- In: where to begin, limit. Out: number, name, the number of the pause and whether there are
-- pauses of kinds, of each queue that was ever enqueued to or paused, in the order of names by
-- bytes.
SELECT queue, name, paused, has_kinds FROM queue_name WHERE name >= ?1 ORDER BY name LIMIT ?2;
