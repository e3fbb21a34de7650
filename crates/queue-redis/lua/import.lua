#!lua
-- Stores whole records of another store, each with the next seq.
--
-- In: ARGV 3 the queue's number, 4 the count that seqs go on from at least, 5 the count of jobs;
-- then for each its state string, its payload with headers, its result where that stands apart, its
-- error details, its attempts, its end signals, which are to ids; '' for none.
-- Out: now, clock, number; then for each job 0 for stored, 1 for an id that is taken, 2 for a
-- record past its purge time; and the seq's count.
-- Guard: the id is free (I9). Keeps I2, I13, I20, I24. Without the flag allow-oom: a full server
-- refuses it before it begins.
-- Cost: O(log n) for each job.
-- @part queue
if number == 0 then number = tonumber(ARGV[3]) end
local begun_at = last_seq
last_seq = math.max(last_seq, tonumber(ARGV[4]))
-- @part constants
-- @part state
-- @part tail
-- @part hints
-- @part jobs
local count, new_ids, held = tonumber(ARGV[5]), {}, {}
for job = 1, count do
  local state = ARGV[6 * job]
  local at = id_at(state)
  new_ids[job] = sub(state, at + 1, at + byte(state, at))
end
local holders = fetch('HMGET', IDS, new_ids)
for job = 1, count do
  if holders[job] then held[#held + 1] = holders[job] end
end
load(held)

taken, ids, payloads, outcomes, listed = {}, {}, {}, {}, {}
local done_now, reply = {}, { now, clock, number }
local function answer(kind, seq)
  reply[#reply + 1], reply[#reply + 2] = kind, seq and read('>I6', seq) or 0
end

local function push(list, field, value)
  list[#list + 1], list[#list + 2] = field, value
end

-- The life that has an id now.
local function life_of(id)
  local seq = taken[id] or call('HGET', IDS, id)
  return seq and present[seq] ~= false and seq
end

-- End signals, each to the life that has its id by now. To one that is still to come a signal goes
-- by the id.
local function led(signals)
  local all, at = {}, 1
  while at <= #signals do
    local id_end = at + 7 + byte(signals, at + 7)
    local life = life_of(sub(signals, at + 8, id_end))
    all[#all + 1] = pack('>B', byte(signals, at) + (life and NAMES_LIFE or 0)) .. (life or sub(signals, at + 1, at + 6))
      .. sub(signals, at + 7, id_end)
    at = id_end + 1
  end
  return table.concat(all)
end

local function import(job)
  local at, id = 6 * job, new_ids[job]
  local record, holder = ARGV[at], taken[id] or holders[job]
  if is_purged(record) then return answer(2) end
  if taken[id] then return answer(1, holder) end
  local former = holder and present[holder]
  if former and not is_purged(former) then return answer(1, holder) end
  if former then remove(holder, former, id, false) end
  seq_mark = seq_mark + 1
  local seq, state, flags, extras = pack('>I6', seq_mark), byte(record, 1), byte(record, 2), byte(record, 43)
  taken[id] = seq
  push(ids, id, seq)
  push(payloads, seq, ARGV[at + 1])
  states[states_count + 1], states[states_count + 2] = seq, record
  states_count = states_count + 2
  if has(flags, HAS_RESULT) and not has(flags, RESULT_WITHIN) then push(outcomes, seq, ARGV[at + 2]) end
  if has(flags, HAS_DETAILS) then push(outcomes, seq .. 'e', ARGV[at + 3]) end
  if has(extras, HAS_ATTEMPTS) then push(outcomes, seq .. 'a', ARGV[at + 4]) end
  if has(extras, HAS_SIGNALS) then push(outcomes, seq .. 'r', led(ARGV[at + 5])) end
  if has(extras, HAS_TAGS) then add_tags(listed, record, seq, '0') end
  local member = listed_as(record, seq)
  if member then push(listed, '0', member) end
  -- The end of the script counts each new seq as a queued job.
  moved[1] = moved[1] - 1
  moved[state + 1] = moved[state + 1] + 1
  if is_waiting(state) then
    local tail = tail_of(record)
    local partition = partition_of(record)
    if partition then count_in(partition, record, 1) end
    wait(seq, sub(record, tail, tail + PLACE_BYTES - 1), read('>I6', record, tail + 2), is_behind_gate(record), partition)
    is_woken = true
  else
    local purge_at = read('>I6', record, 31)
    push(done_now, purge_at == NEVER and '+inf' or text(purge_at), seq)
  end
  if is_told(state, flags) then tell(seq, record, state) end
  answer(0, seq)
end

for job = 1, count do import(job) end
if seq_mark > last_seq then
  many('ZADD', DONE, done_now)
-- @part write
-- @part publish
elseif seq_mark > begun_at then
  call('HSET', META, 'seq', text(seq_mark), 'number', text(number))
end
return reply
