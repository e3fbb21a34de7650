#!lua flags=no-writes
-- Reads who is there.
--
-- In: KEYS and ARGV 1 and 2 as announce.lua. Out: now, infos. Guard: the announcement has not run
-- out. Cost: O(workers).
local time = redis.call('TIME')
local mark = tonumber(redis.call('GET', KEYS[3]) or 0)
local now = math.max(mark, tonumber(ARGV[1]) or time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[2]))
local infos = {}
for _, worker in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. string.format('%.0f', now), '+inf')) do
  infos[#infos + 1] = redis.call('HGET', KEYS[1], worker)
end
return { now, infos }
