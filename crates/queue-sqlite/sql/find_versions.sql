-- In: nothing. Out: 2 if the file has a table of migrations with our columns.
SELECT count(*) FROM pragma_table_info('queue_schema') WHERE name IN ('version', 'applied_at');
