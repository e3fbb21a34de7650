-- Part, in a block that only queues with partitions or limits run: what is kept of partitions, and
-- where they stand (lifecycle::Turn, in Lua).
--
-- META has a field for each partition of which a job waits or is leased, and for each with a limit
-- of its own: leases; waiting jobs; its front (how that begins in LISTED, 0 for none; priority;
-- turn); its own limit. A limit is what there is of it, weight, number. Besides, META has the
-- limits of each partition and of the jobs without one; the turn that was taken last, with the
-- front of the jobs without a partition, which no enqueue moves and each claim does; and, while the
-- limit of each partition is new to some, the key up to which partitions have been looked at.
local LANE_FIELD, LANE, OWN_LIMIT_AT = ':', '>I6I6BI2I7', 23
local LIMIT, LIMIT_BYTES, NO_LIMIT, WEIGHT_ALONE, WITH_NUMBER = '>BI2I4', 7, 0, 1, 2
-- What one job of weight one costs.
local UNIT = 1000000

local function read_limit(packed, at)
  local kind, weight, running = read(LIMIT, packed, at)
  return kind ~= NO_LIMIT and { weight = weight, running = kind == WITH_NUMBER and running or nil } or nil
end

local function limit_bytes(limit)
  if not limit then return pack(LIMIT, NO_LIMIT, 0, 0) end
  return pack(LIMIT, limit.running and WITH_NUMBER or WEIGHT_ALONE, limit.weight, limit.running or 0)
end

local function lane_bytes(lane)
  return pack(LANE, lane.leases, lane.waiting, lane.front and byte(lane.front) or 0, lane.priority, lane.turn) .. lane.own_bytes
end

-- What is kept of a partition, nothing for a new one.
local function lane_of(key, packed)
  if not packed then
    return { key = key, leases = 0, waiting = 0, priority = 0, turn = 0, own_bytes = limit_bytes(nil) }
  end
  local leases, waiting, front, priority, turn = read(LANE, packed)
  return {
    key = key, packed = packed, leases = leases, waiting = waiting, front = front > 0 and string.char(front) or nil,
    priority = priority, turn = turn, own = read_limit(packed, OWN_LIMIT_AT), own_bytes = sub(packed, OWN_LIMIT_AT),
  }
end

local rules = call('HMGET', META, 'limits', 'turns', 'sweep')
local no_limit, each, unpartitioned = { weight = 1 }, nil, nil
if rules[1] then
  each, unpartitioned = read_limit(rules[1], 1), read_limit(rules[1], 1 + LIMIT_BYTES)
end
-- The jobs without a partition take turns as one.
local TURNS = '>I7BI2I7'
local present, line = 0, { key = '', leases = 0, priority = 0, turn = 0, own = unpartitioned or no_limit }
if rules[2] then
  local front
  present, front, line.priority, line.turn = read(TURNS, rules[2])
  line.front = front > 0 and FREE_FRONT or nil
end
-- What a claim has of fronts: the last one of LISTED that it stepped over, of those without a limit
-- and of the others, and the partitions of which it took a job, in their order.
local passed, met = {}, { [FREE_FRONT] = { first = 1, last = 0 }, [LIMITED_FRONT] = { first = 1, last = 0 } }

local function limit_of(lane)
  return lane.own or each or no_limit
end

local function member_of(lane)
  return lane.front and lane.front .. pack('>I2I7', lane.priority, lane.turn) .. lane.key
end

-- The lowest turn of those whose next job has this priority.
local function lowest(priority)
  local turn = line.front and line.priority == priority and line.turn or nil
  for front, lanes in pairs(met) do
    local begin, last = front .. pack('>I2', priority), passed[front]
    local from = last and read('>I2', last, 2) >= priority and '(' .. last or '[' .. begin
    local first = call('ZRANGEBYLEX', LISTED, from, '(' .. begin .. '\255', 'LIMIT', 0, 1)[1]
    if first then turn = math.min(turn or NEVER, (read('>I7', first, 4))) end
    for at = lanes.first, lanes.last do
      if lanes[at].priority == priority then turn = math.min(turn or NEVER, lanes[at].turn) end
    end
  end
  return turn
end

local function after_job(turn, limit)
  return turn + math.floor(UNIT / limit.weight)
end

-- Where a partition stands that comes to have a job to give (Turn::behind).
local function turn_behind(priority, limit)
  local from, bound = present, lowest(priority)
  if bound then from = math.min(math.max(from, bound - UNIT), bound) end
  return after_job(from, limit)
end

-- Finds out where a partition stands whose next job has this priority, or that has none.
local function place_lane(lane, priority)
  local limit = limit_of(lane)
  if not priority or limit.running and lane.leases >= limit.running then
    lane.front = nil
    return
  end
  if not lane.front or lane.priority ~= priority then
    lane.turn = turn_behind(priority, limit)
    lane.priority = priority
  end
  lane.front = limit.running and LIMITED_FRONT or FREE_FRONT
end

-- The bounds of the due jobs of a partition in LISTED.
local function bounds_of(key)
  return '[' .. IN_PARTITION .. key .. PARTITION_END, '(' .. IN_PARTITION .. key .. BEHIND_PARTITION
end

local function next_priority(key)
  local from, to = bounds_of(key)
  local first = call('ZRANGEBYLEX', LISTED, from, to, 'LIMIT', 0, 1)[1]
  return first and read('>I2', first, #key + 3)
end
