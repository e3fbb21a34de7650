-- In: series, slot, writer. Removes an entry of a series.
DELETE FROM {schema}.series WHERE series = $1 AND slot = $2 AND writer = $3;
