-- Attempts without a life that says it has some, or more than the last ten, or of a claim that
-- never was; a life that has lost its own.
SELECT 'life ' || seq || ' has ' || count(*) || ' attempts that it knows nothing of, or too many'
FROM queue_attempt AS attempt LEFT JOIN queue_life AS life USING (seq)
GROUP BY seq
HAVING count(*) > 10 OR coalesce(life.flags & 8, 0) = 0 OR max(attempt.epoch) > life.epoch
UNION ALL
SELECT 'life ' || seq || ' has lost its attempts' FROM queue_life
WHERE flags & 8 AND seq NOT IN (SELECT seq FROM queue_attempt);
