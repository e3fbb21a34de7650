-- In: name. A transaction of its own, so that no long one makes others wait for a name.
INSERT INTO {schema}.queue (name) VALUES ($1) ON CONFLICT DO NOTHING;
