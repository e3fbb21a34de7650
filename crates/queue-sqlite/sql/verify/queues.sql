-- A job of a queue without a name, or under the key of another queue.
SELECT 'job ' || (key & 0xffffffffff) || ' is in unnamed queue ' || queue FROM queue_job
WHERE queue NOT IN (SELECT queue FROM queue_name)
UNION ALL
SELECT 'job ' || (key & 0xffffffffff) || ' of queue ' || queue || ' has a key of queue ' || (key >> 40) FROM queue_job
WHERE key >> 40 <> queue;
