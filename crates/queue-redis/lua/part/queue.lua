-- Part of every script: the keys of one queue, its time, and calls with many arguments.
--
-- KEYS: all of one queue, in this order; MARK, the highest time that a write was decided by, may be
-- shared by all queues.
-- ARGV 1: the injected reading of the clock in ms, or '' for the server's own. ARGV 2: the floor,
-- what this handle measured since the time that it was told (queue_core::StoreTime). Store time is
-- the latest of mark, clock and floor (I24).
local META, IDS, STATE, PAYLOAD, OUTCOME, READY, LATER, LEASES, DONE, BLOCKS, FILL, LISTED, MARK = unpack(KEYS)
local call, sub, byte, pack, read = redis.call, string.sub, string.byte, struct.pack, struct.unpack

-- Lua's stack takes about 8,000 values at once. Even, so that pairs stay together.
local ARGS_MAX = 4000

-- Calls a command with any number of trailing arguments; none, or no list at all, is no call.
local function many(command, key, args)
  for from = 1, args and #args or 0, ARGS_MAX do
    call(command, key, unpack(args, from, math.min(from + ARGS_MAX - 1, #args)))
  end
end

-- Calls a command that answers one value for each argument, with any number of arguments.
local function fetch(command, key, args)
  local last = #args
  if last <= ARGS_MAX then
    return last > 0 and call(command, key, unpack(args)) or {}
  end
  local all, count = {}, 0
  for from = 1, last, ARGS_MAX do
    for _, value in ipairs(call(command, key, unpack(args, from, math.min(from + ARGS_MAX - 1, last)))) do
      count = count + 1
      all[count] = value
    end
  end
  return all
end

-- A whole number as commands take it.
local function text(number)
  return string.format('%.0f', number)
end

local meta = call('HMGET', META, 'seq', 'number', 'paused', 'feed')
local last_seq, number, paused_until = tonumber(meta[1]) or 0, tonumber(meta[2]) or 0, tonumber(meta[3] or 0)
-- Whether there are kinds that are paused or have a line (part/kinds.lua), whether there may be
-- jobs behind closed gates, and whether there are partitions or limits. The field is then no plain
-- number, so that it need not be looked for elsewhere.
local has_marks, has_kinds, has_gates, has_partitions = not paused_until, false, false, false
if has_marks then
  paused_until = tonumber(string.match(meta[3], '^%d+'))
  has_kinds, has_gates = string.find(meta[3], ' kinds', 1, true), string.find(meta[3], ' gates', 1, true)
  has_partitions = string.find(meta[3], ' partitions', 1, true) ~= nil
end
local time = call('TIME')
local server_now = time[1] * 1000 + math.floor(time[2] / 1000)
-- Whether a subscriber asked for every change and its request has not run out.
local is_fed = meta[4] and tonumber(meta[4]) > server_now
local mark = tonumber(call('GET', MARK) or 0)
local clock = tonumber(ARGV[1]) or server_now
local now = math.max(mark, clock, tonumber(ARGV[2]))
local paused = paused_until > now
