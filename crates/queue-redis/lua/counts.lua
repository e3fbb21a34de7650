#!lua flags=no-writes
-- Counts jobs by state.
--
-- In: nothing more. Out: now, clock, number, { one count per state }, how many are scheduled,
-- run_at of the oldest due job or -1, the number of the pause or 0.
-- Guard: none. Keeps I20.
-- Cost: O(log n), and one look per priority in use.
-- @part queue
-- @part constants
local counters = call('HMGET', META, 'jobs0', 'jobs1', 'jobs2', 'jobs3', 'jobs4', 'jobs5')
for at = 1, #counters do
  counters[at] = tonumber(counters[at]) or 0
end

local oldest = NEVER
local scheduled = call('ZRANGE', LATER, 0, 0, 'WITHSCORES')
if scheduled[2] and tonumber(scheduled[2]) <= now then oldest = tonumber(scheduled[2]) end
local from = '-'
while from do
  local front = call('ZRANGEBYLEX', READY, from, '+', 'LIMIT', 0, 1)[1]
  from = nil
  if front then
    local priority, run_at = read('>I2I6', front)
    oldest = math.min(oldest, run_at)
    if priority < 65535 then from = '[' .. pack('>I2', priority + 1) end
  end
end
local ahead = call('ZCOUNT', LATER, '(' .. text(now), '+inf')
return { now, clock, number, counters, ahead, oldest == NEVER and -1 or oldest, paused and paused_until or 0 }
