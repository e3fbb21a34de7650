-- Part: records as this script found them and as it leaves them. Nothing is written before part/write.lua.
local present, first = {}, {}
-- The seqs of the records that changed, and beside each what it changed by: a plan of apply.lua, or false.
local touched, steps, touched_count = {}, {}, 0
-- What changed more than once.
local again
-- Ids of removed records; of lives that this script began, by id.
local freed, taken
local states, states_count = {}, 0
local ids, payloads, retyped, outcomes, outcomes_count, unoutcomes = nil, nil, nil, nil, 0, nil
local moved = { 0, 0, 0, 0, 0, 0 }
local ready, ready_count, later = nil, 0, nil
local seq_mark = last_seq

-- Reads the records of these seqs; absent ones are `false`.
local function load(seqs)
  local found = fetch('HMGET', STATE, seqs)
  for at = 1, #seqs do
    present[seqs[at]] = found[at]
  end
end

local function touch(seq, step)
  if first[seq] == nil then
    first[seq] = present[seq]
    touched_count = touched_count + 1
    touched[touched_count], steps[touched_count] = seq, step
  else
    again = again or {}
    again[seq] = true
  end
end

-- Takes a record out, with its id and all that belongs to it; `job` is the last of it.
local function remove(seq, job, id, step)
  touch(seq, step)
  present[seq] = false
  freed = freed or {}
  freed[#freed + 1] = id
  local flags = byte(job, 2)
  if has(flags, HAS_RESULT) and not has(flags, RESULT_WITHIN) then
    unoutcomes = unoutcomes or {}
    unoutcomes[#unoutcomes + 1] = seq
  end
  if has(flags, HAS_DETAILS) then
    unoutcomes = unoutcomes or {}
    unoutcomes[#unoutcomes + 1] = seq .. 'e'
  end
  if is_told(GONE, flags) then tell(seq, job, GONE) end
end

-- Puts a waiting job where it belongs; `place` is what its member begins with. Answers where it is now, and as what.
local function wait(seq, place, run_at)
  local member = place .. seq
  if run_at > now then
    later = later or {}
    local at = #later
    later[at + 1], later[at + 2] = text(run_at), member
    return 'later', member
  end
  ready = ready or {}
  ready[ready_count + 1], ready[ready_count + 2] = '0', member
  ready_count = ready_count + 2
  return 'ready', member
end
