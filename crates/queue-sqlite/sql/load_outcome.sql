-- In: seq. Out: result_type, result, error_details.
SELECT result_type, result, error_details FROM queue_life WHERE seq = ?1;
