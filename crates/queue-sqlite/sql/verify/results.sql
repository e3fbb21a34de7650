-- A completed job without a result, or a result of another job (I13).
SELECT 'job ' || seq || ' is wrong about having a result' FROM queue_life
WHERE (state = 3) <> (result IS NOT NULL) OR (result IS NULL) <> (result_type IS NULL);
