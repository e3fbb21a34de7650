-- In: nothing. Out: seq_mark, time_mark, commits, recent.
-- Read first in every write transaction, since other processes move the marks too (I2, I24).
SELECT seq_mark, time_mark, commits, recent FROM queue_store WHERE one = 1;
