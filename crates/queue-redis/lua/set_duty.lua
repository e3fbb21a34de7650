#!lua flags=allow-oom
-- Writes another duty into what is shown of a worker.
--
-- In: KEYS and ARGV 1 and 2 as announce.lua, ARGV 3 worker, 4 the duty, 5 the duty that no other
-- takes the place of. Out: now, the duty then, or -1 if the worker is not there. Guard: its
-- announcement has not run out. Keeps I24. Cost: O(1).
local time = redis.call('TIME')
local mark = tonumber(redis.call('GET', KEYS[3]) or 0)
local now = math.max(mark, tonumber(ARGV[1]) or time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[2]))
local shown_until = redis.call('ZSCORE', KEYS[2], ARGV[3])
local shown = redis.call('HGET', KEYS[1], ARGV[3])
if not shown or tonumber(shown_until or 0) <= now then return { now, -1 } end
local duty = tonumber(ARGV[4])
if string.byte(shown) == tonumber(ARGV[5]) then duty = tonumber(ARGV[5]) end
redis.call('HSET', KEYS[1], ARGV[3], string.char(duty) .. string.sub(shown, 2))
if now > mark then redis.call('SET', KEYS[3], string.format('%.0f', now)) end
return { now, duty }
