
-- Where a waiting job stands in `ready`, by its priority and partition.
CREATE FUNCTION {schema}.place(priority integer, partition text) RETURNS integer LANGUAGE sql IMMUTABLE
AS 'SELECT CASE WHEN partition IS NULL THEN priority ELSE priority + 2228224 END';

-- The slips of partitions stand here once, whichever statement moves a job. A job without a
-- partition costs the look at a column.
CREATE FUNCTION {schema}.slip_of_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO {schema}.partition_slip (queue, partition, look_at) VALUES (NEW.queue, NEW.partition, NEW.run_at);
  RETURN NULL;
END
$$;

CREATE FUNCTION {schema}.slip_of_lease() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO {schema}.partition_slip (queue, partition, look_at) VALUES (OLD.queue, OLD.partition, 0);
  RETURN NULL;
END
$$;

-- Not behind a gate, and not in a line: priorities of partitions are the highest.
CREATE TRIGGER waits AFTER INSERT OR UPDATE OF priority, run_at ON {schema}.ready
FOR EACH ROW WHEN (NEW.partition IS NOT NULL AND NEW.priority >= 2195456) EXECUTE FUNCTION {schema}.slip_of_waiting();

CREATE TRIGGER ends AFTER DELETE ON {schema}.lease
FOR EACH ROW WHEN (OLD.partition IS NOT NULL) EXECUTE FUNCTION {schema}.slip_of_lease();
