-- In: name. Out: what kind of thing has it in the file, in whatever case.
SELECT type FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE;
