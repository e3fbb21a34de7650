-- In: series, slot, writer. Removes an entry.
DELETE FROM queue_series WHERE series = ?1 AND slot = ?2 AND writer = ?3;
