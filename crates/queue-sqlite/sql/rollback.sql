-- Forgets the transaction.
ROLLBACK;
