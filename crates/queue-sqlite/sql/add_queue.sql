-- In: name. Out: queue. Only after find_queue found none, under the write lock.
INSERT INTO queue_name (name) VALUES (?1) RETURNING queue;
