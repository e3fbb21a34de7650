-- A job of a queue without a name.
SELECT 'job ' || seq || ' is in unnamed queue ' || queue FROM queue_job
WHERE queue NOT IN (SELECT queue FROM queue_name);
