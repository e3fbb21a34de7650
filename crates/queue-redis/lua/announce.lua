#!lua flags=allow-oom
-- Shows a worker for a while, or retires it, and forgets some whose time is over. What is shown
-- begins with a byte for the duty of the worker; one that is there again after its announcement ran
-- out is there to work.
--
-- In: KEYS 1 infos by worker, 2 workers by the end of their announcement, 3 the mark of time; ARGV
-- 1 injected time or '', 2 the floor, 3 worker, 4 ttl in ms, 5 info.
-- Out: now, the duty. Guard: none. Keeps I24. Cost: O(log n).
local FORGET_MAX = 100
local time = redis.call('TIME')
local mark = tonumber(redis.call('GET', KEYS[3]) or 0)
local now = math.max(mark, tonumber(ARGV[1]) or time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[2]))
local over = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now), 'LIMIT', 0, FORGET_MAX)
local is_here = tonumber(ARGV[4]) > 0
local duty = '\0'
if is_here then
  local shown_until = redis.call('ZSCORE', KEYS[2], ARGV[3])
  local shown = redis.call('HGET', KEYS[1], ARGV[3])
  if shown and tonumber(shown_until or 0) > now then duty = string.sub(shown, 1, 1) end
  redis.call('HSET', KEYS[1], ARGV[3], duty .. ARGV[5])
  redis.call('ZADD', KEYS[2], string.format('%.0f', now + tonumber(ARGV[4])), ARGV[3])
else
  over[#over + 1] = ARGV[3]
end
-- Nothing is added any more, so that a key which becomes empty is not needed again
-- (part/write.lua).
for at = #over, 1, -1 do
  if is_here and over[at] == ARGV[3] then table.remove(over, at) end
end
if #over > 0 then
  redis.call('HDEL', KEYS[1], unpack(over))
  redis.call('ZREM', KEYS[2], unpack(over))
end
if now > mark then redis.call('SET', KEYS[3], string.format('%.0f', now)) end
return { now, string.byte(duty) }
