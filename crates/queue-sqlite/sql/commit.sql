-- Makes the transaction durable. Nothing is answered before this.
COMMIT;
