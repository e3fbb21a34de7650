-- In: queue, and the columns of load_turn.
INSERT INTO queue_turn (queue, present, line_priority, line_turn) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (queue) DO UPDATE SET
  present = excluded.present,
  line_priority = excluded.line_priority,
  line_turn = excluded.line_turn;
