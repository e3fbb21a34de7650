#!lua flags=no-writes
-- Reads which queues there are.
--
-- In: KEYS 1 the registry. Out: names and numbers in turn. Guard: none. Cost: O(queues); for tests
-- and operators.
return redis.call('HGETALL', KEYS[1])
