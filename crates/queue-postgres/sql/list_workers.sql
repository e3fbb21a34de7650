-- In: mark. Out: workers that have not expired, by id.
SELECT id, queues, concurrency, held, host, about, duty FROM {schema}.worker WHERE expires_at > {now} ORDER BY id;
