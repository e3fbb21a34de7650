-- In: seq. A job that had no gate has one now; the step that gives it one has written its life.
UPDATE queue_life SET flags = flags | 16 WHERE seq = ?1;
