-- In: id.
DELETE FROM queue_worker WHERE id = ?1;
