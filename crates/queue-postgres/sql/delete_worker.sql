-- In: id.
DELETE FROM {schema}.worker WHERE id = $1;
