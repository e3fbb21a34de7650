-- In: queue, seq. Out: the gate of that job, with what is not folded.
SELECT j.gate FROM {schema}.job AS j WHERE j.queue = $1 AND j.seq = $2 LIMIT 1;
