#!lua
-- Keeps an entry of a series for a while, or removes it, and forgets some that have expired.
--
-- In: KEYS 1 keys of entries, ordered by their bytes, 2 entries by key, 3 keys by the end of their
-- time, 4 the mark of time; ARGV 1 injected time or '', 2 the floor, 3 key, 4 ttl in ms, 5 bytes,
-- 6 the most to forget.
-- Out: now, clock. Guard: none. Keeps I24. Cost: O(log n). Without the flag allow-oom: a full
-- server has more important things to keep.
local time = redis.call('TIME')
local mark = tonumber(redis.call('GET', KEYS[4]) or 0)
local clock = tonumber(ARGV[1]) or time[1] * 1000 + math.floor(time[2] / 1000)
local now = math.max(mark, clock, tonumber(ARGV[2]))
local over = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', now), 'LIMIT', 0, ARGV[6])
local is_kept = tonumber(ARGV[4]) > 0
if is_kept then
  redis.call('ZADD', KEYS[1], 0, ARGV[3])
  redis.call('HSET', KEYS[2], ARGV[3], ARGV[5])
  redis.call('ZADD', KEYS[3], string.format('%.0f', now + tonumber(ARGV[4])), ARGV[3])
else
  over[#over + 1] = ARGV[3]
end
-- Nothing is added any more, so that a key which becomes empty is not needed again
-- (part/write.lua).
for at = #over, 1, -1 do
  if is_kept and over[at] == ARGV[3] then table.remove(over, at) end
end
if #over > 0 then
  redis.call('ZREM', KEYS[1], unpack(over))
  redis.call('HDEL', KEYS[2], unpack(over))
  redis.call('ZREM', KEYS[3], unpack(over))
end
if now > mark then redis.call('SET', KEYS[4], string.format('%.0f', now)) end
return { now, clock }
