#!lua flags=allow-oom
-- Sets limits of a queue and takes some away, in one step.
--
-- In: ARGV 3 the most limits that a queue has; then for each the scope (0 each partition, 1 the
-- jobs without one, 2 one partition), the limit as part/lanes.lua has it, the key of the partition.
-- Of two for one scope the last counts. None goes on with a sweep (part/sweep.lua).
-- Out: now, clock, number, how many limits there would be, whether partitions are still to be
-- looked at.
-- Guard: not more limits than that, else nothing is written. A limit holds at once (I25). Allowed
-- on a full server, so that it drains.
-- Cost: O(log n) for each limit, and at most a thousand partitions.
-- @part queue
-- @part state
-- @part hints
-- @part changes
-- @part lanes
-- @part settle_lanes
local EACH_PARTITION, ONE_PARTITION = 0, 2
local is_each_new, news, keys = false, {}, {}
for at = 4, #ARGV do
  local scope, limit, key = byte(ARGV[at]), read_limit(ARGV[at], 2), sub(ARGV[at], 2 + LIMIT_BYTES)
  if scope == ONE_PARTITION then
    if news[key] == nil then keys[#keys + 1] = key end
    news[key] = limit or false
  elseif scope == EACH_PARTITION then
    each, is_each_new = limit, true
  else
    unpartitioned = limit
  end
end

-- A partition that is not there loses no limit.
local count = call('ZLEXCOUNT', LISTED, '[' .. OWN_LIMIT, '(' .. BEHIND_OWN_LIMITS) + (each and 1 or 0) + (unpartitioned and 1 or 0)
local fields, entering, leaving = {}, {}, {}
for at = 1, #keys do
  fields[at] = LANE_FIELD .. keys[at]
end
for at, packed in ipairs(fetch('HMGET', META, fields)) do
  local key, had = keys[at], packed and lane_of(keys[at], packed).own
  local limit = news[key]
  count = count + (limit and not had and 1 or 0) - (had and not limit and 1 or 0)
  if limit or packed then
    local change = change_of(key)
    change.own, change.is_moved = limit, true
  end
  if limit and not had then entering[#entering + 1], entering[#entering + 2] = '0', OWN_LIMIT .. key end
  if had and not limit then leaving[#leaving + 1] = OWN_LIMIT .. key end
end
if count > tonumber(ARGV[3]) then return { now, clock, number, count, 0 } end

if each or unpartitioned then
  call('HSET', META, 'limits', limit_bytes(each) .. limit_bytes(unpartitioned))
elseif rules[1] then
  call('HDEL', META, 'limits')
end
if is_each_new then rules[3] = '' end
-- @part sweep
changed = changed or {}
local lanes = read_lanes(entering)
many('ZADD', LISTED, entering)
many('ZREM', LISTED, leaving)
write_lanes(lanes)
if keeps_partitions ~= has_partitions then
  local keeps_gates = has_gates
-- @part save_marks
end
-- Workers with room for more ask again.
is_woken = true
-- @part publish
return { now, clock, number, count, is_swept and 0 or 1 }
