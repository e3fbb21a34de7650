-- In: queue, seq. Gives a job that its holder's followers raise a gate, if it has none. The row of
-- its state is of this transaction.
WITH added AS (
  INSERT INTO {schema}.gate (queue, seq, needs, is_sealed, heeds_urgent) VALUES ($1, $2, 0, true, true)
  ON CONFLICT (queue, seq) DO NOTHING
),
waits AS (
  UPDATE {schema}.ready SET flags = flags | 16 WHERE queue = $1 AND seq = $2 AND flags & 16 = 0
)
UPDATE {schema}.lease SET flags = flags | 16 WHERE queue = $1 AND seq = $2 AND flags & 16 = 0;
