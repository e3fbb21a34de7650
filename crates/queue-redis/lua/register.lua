#!lua
-- Gives a queue its number, once and for all, or looks it up.
--
-- In: KEYS 1 the registry, 2 the names in order; ARGV 1 the queue's name, 2 whether it gets a
-- number if it has none. Out: its number; 0 if it has none.
-- Guard: names are never taken out, so that the count of names is the highest number. Keeps I9:
-- numbers tell lives of different queues apart. Cost: O(1).
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then return tonumber(known) end
if ARGV[2] == '0' then return 0 end
local number = redis.call('HLEN', KEYS[1]) + 1
redis.call('HSET', KEYS[1], ARGV[1], number)
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return number
