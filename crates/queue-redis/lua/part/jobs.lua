-- Part: records as this script found them and as it leaves them. Nothing is written before
-- part/write.lua.
local present, first = {}, {}
-- The seqs of the records that changed, and beside each what it changed by: a plan of apply.lua, or
-- false.
local touched, steps, touched_count = {}, {}, 0
-- The seqs of records that changed more than once.
local again
-- Ids of removed records; of lives that this script began, by id.
local freed, taken
local states, states_count = {}, 0
local ids, payloads, retyped, outcomes, outcomes_count, unoutcomes = nil, nil, nil, nil, 0, nil
local moved = { 0, 0, 0, 0, 0, 0 }
local ready, ready_count, later = nil, 0, nil
local listed, unlisted
-- @part changes
-- The seqs of new jobs behind gates, which this script may still open, and whether any job enters
-- the ones behind gates.
local gated, enters_gates
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

-- Adds the members under which a record stands in LISTED for its tags, each behind a score if there
-- is one.
local function add_tags(members, job, seq, score)
  for tag in string.gmatch(tags_of(job), '[^\n]+') do
    if score then members[#members + 1] = score end
    members[#members + 1] = tag .. '\0' .. seq
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
  local extras = byte(job, 43)
  if has(extras, HAS_ATTEMPTS) then
    unoutcomes = unoutcomes or {}
    unoutcomes[#unoutcomes + 1] = seq .. 'a'
  end
  if has(extras, HAS_SIGNALS) then
    unoutcomes = unoutcomes or {}
    unoutcomes[#unoutcomes + 1] = seq .. 'r'
  end
  if has(extras, HAS_TAGS) then
    unlisted = unlisted or {}
    add_tags(unlisted, job, seq)
  end
  if is_told(GONE, flags) then tell(seq, job, GONE) end
end

-- The member of LISTED for a job behind a closed gate.
local function gated_as(seq, place)
  return GATED .. sub(place, 3) .. seq .. sub(place, 1, 2)
end

-- Puts a waiting job where it belongs; `place` is its priority and its time. Answers where it is
-- now.
local function wait(seq, place, run_at, is_behind, partition)
  if run_at > now and is_behind then
    listed = listed or {}
    listed[#listed + 1], listed[#listed + 2] = '0', gated_as(seq, place) .. (partition or '')
    enters_gates = true
    return 'gated'
  elseif run_at > now then
    later = later or {}
    local at = #later
    later[at + 1], later[at + 2] = text(run_at), seq .. place .. (partition or '')
    return 'later'
  elseif partition then
    listed = listed or {}
    enter_partition(listed, partition, place .. seq)
    return 'ready'
  end
  ready = ready or {}
  ready[ready_count + 1], ready[ready_count + 2] = '0', place .. seq
  ready_count = ready_count + 2
  return 'ready'
end
