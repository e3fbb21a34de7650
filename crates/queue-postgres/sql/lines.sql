-- In: queue. Out: each line: number, kind, number of the pause.
SELECT line, kind, paused FROM {schema}.line WHERE queue = $1;
