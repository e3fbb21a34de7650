-- In: seq, error_details. Replaces the details of the last failure. What fails or begins again has
-- no result.
UPDATE queue_life SET error_details = ?2, result_type = NULL, result = NULL WHERE seq = ?1;
