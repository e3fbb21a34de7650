-- In: names. Out: number and name of those that were ever enqueued to or paused.
SELECT queue, name FROM {schema}.queue WHERE name = ANY ($1::text[]);
