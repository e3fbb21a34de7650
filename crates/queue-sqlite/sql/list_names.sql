-- In: nothing. Out: the name of everything that was made by name.
SELECT name FROM sqlite_schema WHERE sql IS NOT NULL;
