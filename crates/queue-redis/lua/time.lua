#!lua flags=allow-oom
-- Tells the time, and raises the mark to what a handle was told.
--
-- In: KEYS 1 the mark; ARGV 1 the injected time or '', 2 the floor, 3 the mark to leave behind, 0
-- for none. Out: now, clock.
-- Guard: the mark never falls. Keeps I24. Cost: O(1).
local time = redis.call('TIME')
local mark = tonumber(redis.call('GET', KEYS[1]) or 0)
if tonumber(ARGV[3]) > mark then redis.call('SET', KEYS[1], ARGV[3]) end
local clock = tonumber(ARGV[1]) or time[1] * 1000 + math.floor(time[2] / 1000)
return { math.max(mark, clock, tonumber(ARGV[2])), clock }
