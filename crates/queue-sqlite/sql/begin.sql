-- Starts a write transaction with the write lock in hand, so that no later statement can fail for
-- want of it.
BEGIN IMMEDIATE;
