-- Part of every script: the keys of one queue, its time, and calls with many arguments.
--
-- KEYS: all of one queue, in this order; MARK, the highest time that a write was decided by, may be shared by all queues. ARGV 1: the injected time in ms, or '' for the server's. ARGV 2: the highest time
-- that this handle was told, below which it is told none (I24).
local META, IDS, STATE, PAYLOAD, OUTCOME, READY, LATER, LEASES, DONE, BLOCKS, FILL, MARK = unpack(KEYS)
local call, sub, byte, pack, read = redis.call, string.sub, string.byte, struct.pack, struct.unpack

-- Lua's stack takes about 8,000 values at once. Even, so that pairs stay together.
local ARGS_MAX = 4000

-- Calls a command with any number of trailing arguments.
local function many(command, key, args)
  for from = 1, #args, ARGS_MAX do
    call(command, key, unpack(args, from, math.min(from + ARGS_MAX - 1, #args)))
  end
end

-- The same for a command that answers one value for each argument, among args[first..last].
local function fetch(command, key, args, first, last)
  if last - first < ARGS_MAX then
    return first <= last and call(command, key, unpack(args, first, last)) or {}
  end
  local all, count = {}, 0
  for from = first, last, ARGS_MAX do
    for _, value in ipairs(call(command, key, unpack(args, from, math.min(from + ARGS_MAX - 1, last)))) do
      count = count + 1
      all[count] = value
    end
  end
  return all
end

-- Whole numbers as text, formatted once: a batch shares few times.
local whole = setmetatable({}, { __index = function(known, number)
  local text = string.format('%.0f', number)
  known[number] = text
  return text
end })

local function server_time()
  local time = call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local meta = call('HMGET', META, 'seq', 'number', 'paused', 'feed')
local last_seq, number, paused = tonumber(meta[1]) or 0, tonumber(meta[2]) or 0, meta[3] and true or false
-- Whether somebody asked for every change, and their request has not run out.
local is_fed = meta[4] and tonumber(meta[4]) > server_time()
local mark = tonumber(call('GET', MARK) or 0)
local now = math.max(mark, tonumber(ARGV[1]) or server_time(), tonumber(ARGV[2]))

-- Written with whatever was decided by the time (I24).
local function raise_mark()
  if now > mark then call('SET', MARK, whole[now]) end
end
