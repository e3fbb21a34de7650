#!lua flags=no-writes
-- Reads a page of the names of the queues, in their order by bytes.
--
-- In: KEYS 1 the names; ARGV 1 where to begin, 2 at most how many. Out: names. Guard: none. Cost:
-- O(log queues), and the page.
return redis.call('ZRANGEBYLEX', KEYS[1], '[' .. ARGV[1], '+', 'LIMIT', 0, ARGV[2])
