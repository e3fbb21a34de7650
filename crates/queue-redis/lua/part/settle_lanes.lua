-- Part, behind part/lanes.lua: writes what changed of partitions, in two steps around the other
-- writes of a script.
--
-- The second step reads LISTED, after that was written: which job of a partition is next now.
-- LISTED is not empty then, as part/write.lua wants it: it has each partition until all are
-- written.

-- Reads the partitions that changed. Those that are new enter LISTED with the others that do.
local function read_lanes(members)
  local fields, lanes = {}, {}
  for at = 1, #changed do
    fields[at] = LANE_FIELD .. changed[at]
  end
  for at, packed in ipairs(fetch('HMGET', META, fields)) do
    lanes[at] = lane_of(changed[at], packed)
    if not packed then members[#members + 1], members[#members + 2] = '0', PARTITION .. changed[at] end
  end
  return lanes
end

-- Moves the front of a partition. Which job is next is looked up only where that does not follow
-- from its front: without one it has no due job, or no slot.
local function move_front(lane, change)
  local was, priority, came = member_of(lane), lane.front and lane.priority, change.came
  if change.is_moved or not was and change.leases < 0 then
    priority = lane.waiting > 0 and next_priority(lane.key)
  elseif came then
    priority = math.min(priority or came, came)
  end
  place_lane(lane, priority)
  local is = member_of(lane)
  if is == was then return end
  if is then call('ZADD', LISTED, '0', is) end
  if was then call('ZREM', LISTED, was) end
  -- No job came to wait, so nothing else wakes claims.
  if not was and change.leases < 0 then is_woken = true end
end

local function write_lanes(lanes)
  local kept, fields, members = {}, {}, {}
  for at = 1, #lanes do
    local lane = lanes[at]
    local key, change = lane.key, changes[lane.key]
    lane.leases, lane.waiting = lane.leases + change.leases, lane.waiting + change.waiting
    if change.own ~= nil then lane.own, lane.own_bytes = change.own or nil, limit_bytes(change.own) end
    move_front(lane, change)
    local packed = lane_bytes(lane)
    if lane.leases == 0 and lane.waiting == 0 and not lane.own then
      fields[#fields + 1], members[#members + 1] = LANE_FIELD .. key, PARTITION .. key
    elseif packed ~= lane.packed then
      kept[#kept + 1], kept[#kept + 2] = LANE_FIELD .. key, packed
    end
  end
  local has_others = #members < #lanes
    or #call('ZRANGEBYLEX', LISTED, '[' .. PARTITION, '(' .. OWN_LIMIT, 'LIMIT', 0, #members + 1) > #members
  keeps_partitions = has_others or each ~= nil or unpartitioned ~= nil
  if not keeps_partitions then fields[#fields + 1], fields[#fields + 2] = 'turns', 'sweep' end
  many('HSET', META, kept)
  many('HDEL', META, fields)
  many('ZREM', LISTED, members)
  changes, changed = nil, nil
end
