-- Part: the one place that says where a job stands in the indexes, and what a script collected to be written at its end.
--
-- Keeps I20: whatever leaves or enters does so with its record, its counter and its block, in one script.
-- A member of READY and LATER is priority, run_at, seq; all others are the seq alone. READY has equal scores and is ordered
-- by its bytes, which is the order of claims (I12). Lists that every job of a batch grows have counters, since # searches.
local moved = { 0, 0, 0, 0, 0, 0 }
local filled = {}
local unready, unlater, unleased, undone = {}, {}, {}, {}
local ready, later, leased, done = {}, {}, {}, {}
local ready_count, unleased_count, done_count = 0, 0, 0

local function add(list, one, two)
  local at = #list
  list[at + 1], list[at + 2] = one, two
end

-- Takes a job out of its index, unless it is now in that one (`index`) as the same member (`kept`).
local function leave(seq, job, index, kept)
  local state = byte(job, 1)
  moved[state + 1] = moved[state + 1] - 1
  if is_waiting(state) then
    local member = sub(job, 49, 50) .. sub(job, 25, 30) .. seq
    if index ~= 'later' or member ~= kept then unlater[#unlater + 1] = member end
    -- Until a claim promotes it, a job whose time has come still stands in LATER.
    if (index ~= 'ready' or member ~= kept) and read('>I6', job, 25) <= now then unready[#unready + 1] = member end
  elseif state == PROCESSING then
    if index ~= 'leased' then
      unleased_count = unleased_count + 1
      unleased[unleased_count] = seq
    end
  elseif index ~= 'done' then
    undone[#undone + 1] = seq
  end
end

-- Puts a waiting job where it belongs; `place` is what its member begins with. Answers where it is now.
local function wait(seq, place, run_at)
  local member = place .. seq
  if run_at > now then
    add(later, whole[run_at], member)
    return 'later', member
  end
  ready[ready_count + 1], ready[ready_count + 2] = '0', member
  ready_count = ready_count + 2
  return 'ready', member
end

-- Puts a job into its index. Answers which that is, and as what.
local function enter(seq, job)
  local state = byte(job, 1)
  moved[state + 1] = moved[state + 1] + 1
  if is_waiting(state) then
    return wait(seq, sub(job, 49, 50) .. sub(job, 25, 30), read('>I6', job, 25))
  elseif state == PROCESSING then
    add(leased, whole[read('>I6', job, 31)], seq)
    return 'leased', seq
  end
  local purge_at = read('>I6', job, 37)
  done[done_count + 1], done[done_count + 2] = purge_at == NEVER and '+inf' or whole[purge_at], seq
  done_count = done_count + 2
  return 'done', seq
end

-- Blocks of 1,024 consecutive seqs that hold records, so that a listing skips what is gone.
local function fill(count, by)
  local block = (count - count % 1024) / 1024
  filled[block] = (filled[block] or 0) + by
end

local function write_blocks()
  local begun, emptied = {}, {}
  for block, by in pairs(filled) do
    local name = whole[block]
    local count = by ~= 0 and call('HINCRBY', FILL, name, by)
    if count == 0 then emptied[#emptied + 1] = name end
    if count and count > 0 and count == by then add(begun, name, name) end
  end
  many('ZADD', BLOCKS, begun)
  many('HDEL', FILL, emptied)
  many('ZREM', BLOCKS, emptied)
end

-- Everything enters before anything leaves, and nothing is read afterwards: while a slot moves to another node, a script that
-- comes back to a key which it has emptied itself would be ended half-way.
local function write_indexes()
  many('ZADD', READY, ready)
  many('ZADD', LATER, later)
  many('ZADD', LEASES, leased)
  many('ZADD', DONE, done)
  many('ZREM', READY, unready)
  many('ZREM', LATER, unlater)
  many('ZREM', LEASES, unleased)
  many('ZREM', DONE, undone)
  for at = 1, #moved do
    if moved[at] ~= 0 then call('HINCRBY', META, 'jobs' .. at - 1, moved[at]) end
  end
  write_blocks()
end
