#!lua flags=no-writes
-- Counts jobs by state.
--
-- In: nothing more. Out: now, clock, number, { one count per state }, how many are scheduled, how
-- many are behind gates, run_at of the oldest due job or -1, the number of the pause or 0; where
-- there are paused kinds also these as META has them.
-- Guard: none. Keeps I20.
-- Cost: O(log n), and one look per priority in use, for each kind that is paused or has a line too,
-- and for the jobs of partitions.
-- @part queue
-- @part constants
-- @part kinds
-- @part oldest
local counters = call('HMGET', META, 'jobs0', 'jobs1', 'jobs2', 'jobs3', 'jobs4', 'jobs5')
for at = 1, #counters do
  counters[at] = tonumber(counters[at]) or 0
end

local oldest = NEVER
local scheduled = call('ZRANGE', LATER, 0, 0, 'WITHSCORES')
if scheduled[2] and tonumber(scheduled[2]) <= now then oldest = tonumber(scheduled[2]) end
local gated = 0
if has_gates then
  local timed_out = call('ZRANGEBYLEX', LISTED, '[' .. GATED, '(' .. GATED .. pack('>I6', now + 1), 'LIMIT', 0, 1)[1]
  if timed_out then oldest = math.min(oldest, (read('>I6', timed_out, 2))) end
  gated = call('ZLEXCOUNT', LISTED, '[' .. GATED .. pack('>I6', now + 1), '(' .. BEHIND_GATED)
end
oldest = math.min(oldest, oldest_of(READY, '', '-', '+'))
for _, kind in ipairs(kinds or {}) do
  oldest = math.min(oldest, oldest_of(LISTED, kind.line, '[' .. kind.line, kind.behind))
end
if has_partitions then
  oldest = math.min(oldest, oldest_of(LISTED, IN_ANY_PARTITION, '[' .. IN_ANY_PARTITION, '(' .. BEHIND_IN_ANY))
end
local ahead = call('ZCOUNT', LATER, '(' .. text(now), '+inf')
return { now, clock, number, counters, ahead, gated, oldest == NEVER and -1 or oldest, paused and paused_until or 0, kinds_text }
