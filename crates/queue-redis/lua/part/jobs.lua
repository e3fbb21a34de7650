-- Part: records as this script found them and as it leaves them. Nothing is written before `flush`.
local first, present, touched, touched_count = {}, {}, {}, 0
local states, states_count, ids, ids_count, payloads, payloads_count = {}, 0, {}, 0, {}, 0
local gone, freed, outcomes, outcomes_count, unoutcomes = {}, {}, {}, 0, {}
local gone_flags = {}
-- The ids of lives that this script began.
local taken = {}
local seq_mark = last_seq

-- Reads the records of these seqs that are not known yet; absent ones are `false`.
local function load(seqs)
  local unknown, count = {}, 0
  for _, seq in ipairs(seqs) do
    if present[seq] == nil then
      count = count + 1
      unknown[count] = seq
      present[seq] = false
    end
  end
  for at, job in ipairs(fetch('HMGET', STATE, unknown, 1, count)) do
    present[unknown[at]] = job
  end
end

local function remember(seq)
  if first[seq] == nil then
    first[seq] = present[seq]
    touched_count = touched_count + 1
    touched[touched_count] = seq
  end
end

local function save(seq, job, state, flags)
  remember(seq)
  present[seq] = job
  if is_fed or flags % 4 >= AWAITED then tell(seq, job, state) elseif is_waiting(state) then is_woken = true end
end

-- Takes a record out, with its id and all that belongs to it.
local function remove(seq, job)
  remember(seq)
  present[seq] = false
  gone_flags[seq] = byte(job, 2)
  freed[#freed + 1] = id_of(job)
  tell(seq, job, GONE)
end

local function collect_gone(seq)
  gone[#gone + 1] = seq
  fill(read('>I6', seq), -1)
  if has(gone_flags[seq], HAS_RESULT) then unoutcomes[#unoutcomes + 1] = seq end
  if has(gone_flags[seq], HAS_DETAILS) then unoutcomes[#unoutcomes + 1] = seq .. 'e' end
end

-- Ids of removed records, but those that a new life of this script has taken.
local function freed_ids()
  local free = {}
  for _, id in ipairs(freed) do
    if not taken[id] then free[#free + 1] = id end
  end
  return free
end

-- Writes everything that was collected.
local function flush()
  for at = 1, touched_count do
    local seq = touched[at]
    local job, index, member = present[seq], nil, nil
    if job then
      index, member = enter(seq, job)
    end
    leave(seq, first[seq], index, member)
    if job then
      states[states_count + 1], states[states_count + 2] = seq, job
      states_count = states_count + 2
    else
      collect_gone(seq)
    end
  end
  many('HSET', IDS, ids)
  many('HSET', STATE, states)
  many('HSET', PAYLOAD, payloads)
  many('HSET', OUTCOME, outcomes)
  many('HDEL', IDS, freed_ids())
  many('HDEL', STATE, gone)
  many('HDEL', PAYLOAD, gone)
  many('HDEL', OUTCOME, unoutcomes)
  write_indexes()
  raise_mark()
  -- The last seq goes with the lives that have it (I9).
  if seq_mark > last_seq then call('HSET', META, 'seq', whole[seq_mark], 'number', whole[number]) end
  publish()
end
