-- What SQLite itself finds wrong, indexes included.
SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok';
