#!lua flags=no-writes
-- Reads entries of a series that have not expired, in the order of their keys.
--
-- In: KEYS and ARGV 1 and 2 as write_series.lua, ARGV 3 the first key, 4 the key to end before, 5
-- the most entries. Out: now, clock, keys and bytes by turns. Cost: O(log n), and the entries of
-- the range up to the last one that is shown.
local STEP = 500
local time = redis.call('TIME')
local mark = tonumber(redis.call('GET', KEYS[4]) or 0)
local clock = tonumber(ARGV[1]) or time[1] * 1000 + math.floor(time[2] / 1000)
local now = math.max(mark, clock, tonumber(ARGV[2]))
local found, most = {}, 2 * tonumber(ARGV[5])
local from = '[' .. ARGV[3]
repeat
  local keys = redis.call('ZRANGEBYLEX', KEYS[1], from, '(' .. ARGV[4], 'LIMIT', 0, STEP)
  for _, key in ipairs(keys) do
    from = '(' .. key
    if #found < most and tonumber(redis.call('ZSCORE', KEYS[3], key)) > now then
      found[#found + 1], found[#found + 2] = key, redis.call('HGET', KEYS[2], key)
    end
  end
until #keys < STEP or #found >= most
return { now, clock, found }
