-- Part, at the end of scripts that change jobs: says where each changed job stands in the indexes,
-- and writes everything.
--
-- Keeps I20: whatever leaves or enters does so with its record, its counter and its block, in one
-- script. READY has equal scores and is ordered by its bytes, priority, run_at and seq, which is
-- the order of claims (I12). LATER has scores, and behind an equal one the order of seqs: a member
-- is seq, priority, run_at. LISTED has equal scores: state, time, seq of jobs that failed in some
-- way or are cancelled, and tag, 0, seq; no tag has a byte as low as a state. Between the two are
-- the lines of kinds (part/kinds.lua), which are due jobs that stand in READY no more, and the jobs
-- behind closed gates by their time-out, until a claim finds that it has come. Members of the
-- others are the seq alone. Lists that every job of a batch grows have counters, since # searches.
-- A job of a partition has the key at the end of its member, and once it is due it stands in LISTED
-- and not in READY (part/constants.lua).
local unready, unlater, unleased, undone, leased, done, gone, blocks
local unleased_count, done_count = 0, 0
if touched_count > 0 then
  unleased, done = {}, {}
end
for at = 1, gated and #gated or 0 do
  local seq = gated[at]
  local job = states[2 * (read('>I6', seq) - last_seq)]
  local tail = tail_of(job)
  wait(seq, sub(job, tail, tail + PLACE_BYTES - 1), read('>I6', job, tail + 2), is_behind_gate(job), partition_of(job))
end
for at = 1, touched_count do
  local seq, step = touched[at], steps[at]
  local job, was = present[seq], first[seq]
  if job then
    states[states_count + 1], states[states_count + 2] = seq, job
    states_count = states_count + 2
  else
    gone = gone or {}
    gone[#gone + 1] = seq
    blocks = blocks or {}
    local count = read('>I6', seq)
    local block = (count - count % 1024) / 1024
    blocks[block] = (blocks[block] or 0) - 1
  end
  if step and step.ends_lease and not (again and again[seq]) then
    -- This is the case of nearly every settle of a batch.
    unleased_count = unleased_count + 1
    unleased[unleased_count] = seq
    moved[2] = moved[2] - 1
    if step.has_partition then count_in(partition_of(was), was, -1) end
    if job then
      moved[step.state + 1] = moved[step.state + 1] + 1
      done[done_count + 1], done[done_count + 2] = step.purge_score, seq
      done_count = done_count + 2
      if step.listed then
        listed = listed or {}
        listed[#listed + 1], listed[#listed + 2] = '0', step.listed .. seq
      end
    end
  else
    local index, place
    local partition = partition_of(was)
    if partition and (not job or byte(job) ~= byte(was)) then
      count_in(partition, was, -1)
      if job then count_in(partition, job, 1) end
    end
    local stands, stood = job and listed_as(job, seq), listed_as(was, seq)
    if stands ~= stood then
      if stands then
        listed = listed or {}
        listed[#listed + 1], listed[#listed + 2] = '0', stands
      end
      if stood then
        unlisted = unlisted or {}
        unlisted[#unlisted + 1] = stood
      end
    end
    if job then
      local state = byte(job, 1)
      moved[state + 1] = moved[state + 1] + 1
      if is_waiting(state) then
        local tail = tail_of(job)
        place = sub(job, tail, tail + PLACE_BYTES - 1)
        index = wait(seq, place, read('>I6', job, tail + 2), is_behind_gate(job), partition)
      elseif state == PROCESSING then
        leased = leased or {}
        leased[#leased + 1], leased[#leased + 2] = text(read('>I6', job, 25)), seq
        index = 'leased'
      else
        local purge_at = read('>I6', job, 31)
        done[done_count + 1], done[done_count + 2] = purge_at == NEVER and '+inf' or text(purge_at), seq
        done_count = done_count + 2
        index = 'done'
      end
    end
    -- The job leaves its former place, unless it is now in the same index at the same place.
    local state = byte(was, 1)
    moved[state + 1] = moved[state + 1] - 1
    if is_waiting(state) then
      local tail = tail_of(was)
      local former = sub(was, tail, tail + PLACE_BYTES - 1)
      if is_behind_gate(was) then
        if index ~= 'gated' or former ~= place then
          unlisted = unlisted or {}
          unlisted[#unlisted + 1] = gated_as(seq, former) .. (partition or '')
        end
      elseif index ~= 'later' or former ~= place then
        unlater = unlater or {}
        unlater[#unlater + 1] = seq .. former .. (partition or '')
      end
      -- Until a claim promotes it, a job whose time has come still stands in LATER.
      local is_due, line = read('>I6', was, tail + 2) <= now, nil
      if has_kinds and is_due then
        -- It may stand in the line of its kind. It has entered READY if it still waits, and the
        -- next claim that meets it there sets it aside again.
        line = LINE .. kind_of(was) .. LINE_END .. former .. seq .. (partition or '')
        if not call('ZSCORE', LISTED, line) then line = nil end
      end
      if line then
        unlisted = unlisted or {}
        unlisted[#unlisted + 1] = line
      elseif is_due and partition and (index ~= 'ready' or former ~= place) then
        unlisted = unlisted or {}
        leave_partition(unlisted, partition, former .. seq)
      elseif is_due and not partition and (index ~= 'ready' or former ~= place) then
        unready = unready or {}
        unready[#unready + 1] = former .. seq
      end
    elseif state == PROCESSING then
      if index ~= 'leased' then
        unleased_count = unleased_count + 1
        unleased[unleased_count] = seq
      end
    elseif index ~= 'done' then
      undone = undone or {}
      undone[#undone + 1] = seq
    end
  end
end

-- Ids of removed records, but those that a new life of this script has taken.
if freed and taken then
  local free = {}
  for at = 1, #freed do
    if not taken[freed[at]] then free[#free + 1] = freed[at] end
  end
  freed = free
end

-- Blocks of 1,024 consecutive seqs that hold records, so that a listing skips what is gone. New
-- seqs have no gaps.
local from = last_seq + 1
while from <= seq_mark do
  local block = (from - from % 1024) / 1024
  local to = math.min(seq_mark, block * 1024 + 1023)
  blocks = blocks or {}
  blocks[block] = (blocks[block] or 0) + to - from + 1
  from = to + 1
end
moved[1] = moved[1] + seq_mark - last_seq

local write_partitions
if changes then
-- @part lanes
-- @part settle_lanes
  listed = listed or {}
  local lanes = read_lanes(listed)
  write_partitions = function() write_lanes(lanes) end
end

-- All entries are made before any is removed, and nothing is read afterwards but what is not empty
-- (part/settle_lanes.lua): while a slot moves to another node, a script that comes back to a key
-- which it has emptied itself would be ended half-way.
many('HSET', IDS, ids)
many('HSET', STATE, states)
many('HSET', PAYLOAD, payloads)
many('HSET', PAYLOAD, retyped)
many('HSET', OUTCOME, outcomes)
many('HDEL', IDS, freed)
many('HDEL', STATE, gone)
many('HDEL', PAYLOAD, gone)
many('HDEL', OUTCOME, unoutcomes)
many('ZADD', READY, ready)
many('ZADD', LATER, later)
many('ZADD', LEASES, leased)
many('ZADD', DONE, done)
many('ZADD', LISTED, listed)
many('ZREM', READY, unready)
many('ZREM', LATER, unlater)
many('ZREM', LEASES, unleased)
many('ZREM', DONE, undone)
many('ZREM', LISTED, unlisted)
for at = 1, 6 do
  if moved[at] ~= 0 then call('HINCRBY', META, 'jobs' .. at - 1, moved[at]) end
end
if blocks then
  local begun, emptied = {}, {}
  for block, by in pairs(blocks) do
    local name = text(block)
    local count = by ~= 0 and call('HINCRBY', FILL, name, by)
    if count == 0 then emptied[#emptied + 1] = name end
    if count and count > 0 and count == by then begun[#begun + 1], begun[#begun + 2] = name, name end
  end
  many('ZADD', BLOCKS, begun)
  many('HDEL', FILL, emptied)
  many('ZREM', BLOCKS, emptied)
end
if write_partitions then write_partitions() end
-- By these marks claims know of jobs behind gates, and of partitions.
if enters_gates and not has_gates or keeps_partitions ~= has_partitions then
  local keeps_gates = has_gates or enters_gates
-- @part save_marks
end
-- The last seq goes with the lives that have it (I9).
if seq_mark > last_seq then call('HSET', META, 'seq', text(seq_mark), 'number', text(number)) end
