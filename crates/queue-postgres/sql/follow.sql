-- In: mark, queue, length. Asks every process to tell of each change of this queue for a while.
INSERT INTO {schema}.feed (queue, until) VALUES ($2, {now} + $3::bigint)
ON CONFLICT (queue) DO UPDATE SET until = greatest(feed.until, excluded.until);
