-- In: name. Out: a row if the file has such a table.
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1;
