-- A tag of a job that does not lead to it, or an entry that is not a tag of its job.
SELECT 'job ' || seq || ' has ' || sum(tags) || ' tags and ' || sum(entries) || ' entries among them'
FROM (
  SELECT key AS job, key & 0xffffffffff AS seq, length(tags) - length(replace(tags, char(10), '')) + 1 AS tags, 0 AS entries
  FROM queue_job WHERE tags IS NOT NULL
  UNION ALL
  SELECT (queue << 40) + seq, seq, 0, 1 FROM queue_tag
)
GROUP BY job
HAVING sum(tags) <> sum(entries)
UNION ALL
SELECT 'the tag ' || quote(tag) || ' leads to job ' || seq || ', which does not have it' FROM queue_tag
WHERE NOT EXISTS (
  SELECT 1 FROM queue_job AS job
  WHERE job.key = (queue_tag.queue << 40) + queue_tag.seq
    AND instr(char(10) || job.tags || char(10), char(10) || queue_tag.tag || char(10)) > 0
);
