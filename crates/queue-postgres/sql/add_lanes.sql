-- In: queue, priorities. A transaction of its own, before the first job of that priority is
-- visible.
INSERT INTO {schema}.lane (queue, priority) SELECT $1, priority FROM unnest($2::smallint[]) AS priority
ON CONFLICT DO NOTHING;
