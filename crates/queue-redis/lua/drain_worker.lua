#!lua flags=allow-oom
-- Writes into what is shown of a worker that it is to drain.
--
-- In: KEYS and ARGV 1 and 2 as announce.lua, ARGV 3 worker, 4 the duty. Out: now, whether the
-- worker is there. Guard: its announcement has not run out. Keeps I24. Cost: O(1).
local time = redis.call('TIME')
local mark = tonumber(redis.call('GET', KEYS[3]) or 0)
local now = math.max(mark, tonumber(ARGV[1]) or time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[2]))
local shown_until = redis.call('ZSCORE', KEYS[2], ARGV[3])
local shown = redis.call('HGET', KEYS[1], ARGV[3])
if not shown or tonumber(shown_until or 0) <= now then return { now, 0 } end
redis.call('HSET', KEYS[1], ARGV[3], string.char(tonumber(ARGV[4])) .. string.sub(shown, 2))
if now > mark then redis.call('SET', KEYS[3], string.format('%.0f', now)) end
return { now, 1 }
