-- In: version. Written in the transaction of the migration, so that each runs once however many
-- processes start.
INSERT INTO {schema}.migration (version) VALUES ($1);
