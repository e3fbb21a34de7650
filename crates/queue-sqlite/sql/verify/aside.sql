-- A job that is set aside under another kind, or in a queue that does not know of it.
SELECT 'job ' || aside.seq || ' is set aside under kind ' || quote(aside.kind) || ', which is not its own or not known'
FROM queue_aside AS aside
LEFT JOIN queue_job AS job ON job.key = (aside.queue << 40) + aside.seq
WHERE job.kind IS NOT aside.kind
OR NOT EXISTS (SELECT 1 FROM queue_kind AS kind WHERE kind.queue = aside.queue AND kind.kind = aside.kind)
UNION ALL
SELECT 'queue ' || queue || ' is wrong about having pauses of kinds' FROM queue_name
WHERE (marks & 1 <> 0) <> EXISTS (SELECT 1 FROM queue_kind AS kind WHERE kind.queue = queue_name.queue);
