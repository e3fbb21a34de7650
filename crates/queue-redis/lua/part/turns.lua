-- Part of claims in turn, behind part/lanes.lua: whose job is next. Nothing is written here.
--
-- Cost: one look at each partition of which a job is taken, and at its next jobs in portions; and
-- fronts in portions, so that those of full partitions, which have none, and the jobs that wait
-- behind the first of each are not read.
local JOBS_MIN, JOBS_MAX, LOOKS_MAX = 2, 128, 1000

-- Walks a range of an index in portions that grow; `head` is nil behind the last member.
local function step(walk)
  walk.at = walk.at + 1
  if walk.at > #walk.portion and walk.size then
    walk.portion, walk.at = call('ZRANGEBYLEX', walk.index, walk.from, walk.to, 'LIMIT', 0, walk.size), 1
    if #walk.portion < walk.size then
      walk.size = nil
    else
      walk.from, walk.size = '(' .. walk.portion[walk.size], math.min(2 * walk.size, JOBS_MAX)
    end
  end
  walk.head = walk.portion[walk.at]
end

local function walk_of(index, from, to)
  local walk = { index = index, from = from, to = to, size = JOBS_MIN, at = 0, portion = {} }
  step(walk)
  return walk
end

local function is_before(one, other)
  if one.priority ~= other.priority then return one.priority < other.priority end
  return one.turn < other.turn
end

-- Finds out where a partition stands by its next job that this claim has not met.
local function stand(lane)
  place_lane(lane, lane.due.head and read('>I2', lane.due.head, #lane.due.head - 13))
  if lane == line or not lane.front then return end
  local lanes = met[lane.front]
  if lanes.first > lanes.last or is_before(lane, lanes[lanes.first]) then
    lanes.first = lanes.first - 1
    lanes[lanes.first] = lane
    return
  end
  -- One that took its turn is nearly always the last.
  local at = lanes.last
  while is_before(lane, lanes[at]) do
    lanes[at + 1] = lanes[at]
    at = at - 1
  end
  lanes[at + 1], lanes.last = lane, lanes.last + 1
end

line.due = walk_of(READY, '-', '+')
stand(line)
local fronts = {
  [FREE_FRONT] = walk_of(LISTED, '[' .. FREE_FRONT, '(' .. LIMITED_FRONT),
  [LIMITED_FRONT] = walk_of(LISTED, '[' .. LIMITED_FRONT, '(' .. BEHIND_FRONTS),
}
local looked_at = {}

-- The first partition with a front of this kind. One that the claim meets is looked at: its front
-- may be of a limit that is another by now.
local function first_of(front)
  local walk, lanes = fronts[front], met[front]
  while walk.head and #looked_at < wanted + LOOKS_MAX do
    local priority, turn, key_at = read('>I2I7', walk.head, 2)
    local first = lanes[lanes.first]
    if first and (priority > first.priority or priority == first.priority and turn >= first.turn) then break end
    local key = sub(walk.head, key_at)
    local lane = lane_of(key, call('HGET', META, LANE_FIELD .. key))
    lane.was = walk.head
    looked_at[#looked_at + 1] = lane
    passed[front] = walk.head
    step(walk)
    local from, to = bounds_of(key)
    lane.due = walk_of(LISTED, from, to)
    stand(lane)
  end
  return lanes[lanes.first]
end

-- Whether there may be another one.
local function has_more(front)
  return met[front].first <= met[front].last or fronts[front].head ~= nil
end

-- The partition whose job is next, of those with a limit only if they are asked for.
local function next_lane(with_limited)
  local found = line.front and line or nil
  local free = first_of(FREE_FRONT)
  if free and (not found or is_before(free, found)) then found = free end
  local limited = with_limited and first_of(LIMITED_FRONT)
  if limited and (not found or is_before(limited, found)) then found = limited end
  return found
end

-- The next job of a partition was taken, or set aside: it stands elsewhere, or nowhere.
local function move_on(lane)
  if lane ~= line then
    local lanes = met[lane.front]
    lanes[lanes.first], lanes.first = nil, lanes.first + 1
  end
  step(lane.due)
  stand(lane)
end

-- The fields of META for these partitions; their fronts enter LISTED and leave it.
local function changed_lanes(members, leaving_members)
  local fields = {}
  for _, lane in ipairs(looked_at) do
    local packed, is = lane_bytes(lane), member_of(lane)
    if packed ~= lane.packed then fields[#fields + 1], fields[#fields + 2] = LANE_FIELD .. lane.key, packed end
    if is ~= lane.was then
      leaving_members[#leaving_members + 1] = lane.was
      if is then members[#members + 1], members[#members + 2] = '0', is end
    end
  end
  return fields
end
