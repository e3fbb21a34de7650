-- Part: the rule of ids, and the beginning of a life (lifecycle::admit and JobMeta::begin, in Lua; I9).
--
-- New jobs come as shapes of their options (delay, marks, priority), then all ids, all heads (the unchanging end of the state
-- string), all payloads.
local AWAITED_NEW, REPLACE_FAILED = 1, 2

-- What the first state strings of jobs with the same options have in common.
local function read_options(options)
  local delay, marks, priority = read('>I6Bc2', options)
  local flags = has(marks, AWAITED_NEW) and AWAITED or 0
  local run_at = now + delay
  return {
    replaces_failed = has(marks, REPLACE_FAILED),
    state = pack(FIXED, QUEUED, flags, 0, 0, 1, 0, 0, 0, run_at, 0, NEVER, now, priority, 0, 0, 0, 0),
    place = priority .. pack('>I6', run_at),
    run_at = run_at,
  }
end

local function makes_room(job, options)
  local state = byte(job, 1)
  return is_purged(job) or state == CANCELLED or state == FAILED and options.replaces_failed
end

-- Begins a life, unless the id is taken. `holder` is the seq in the index of ids, or false. Answers the new number, or nil and
-- the seq that holds the id.
local function admit(id, options, head, payload, holder)
  if taken[id] then return nil, taken[id] end
  local former = holder and present[holder]
  if former then
    if not makes_room(former, options) then return nil, holder end
    remove(holder, former)
  end
  seq_mark = seq_mark + 1
  local seq, job = pack('>I6', seq_mark), options.state .. head
  taken[id] = seq
  ids[ids_count + 1], ids[ids_count + 2] = id, seq
  ids_count = ids_count + 2
  states[states_count + 1], states[states_count + 2] = seq, job
  states_count = states_count + 2
  payloads[payloads_count + 1], payloads[payloads_count + 2] = seq, payload
  payloads_count = payloads_count + 2
  moved[1] = moved[1] + 1
  wait(seq, options.place, options.run_at)
  fill(seq_mark, 1)
  is_woken = true
  if is_fed then tell(seq, job, QUEUED) end
  return seq_mark
end

-- Reads a block of new jobs. Answers the seqs that hold their ids, as far as they do, and a function that admits one of them.
local function read_jobs(base, count)
  local options_of, at = read_shapes(base, read_options)
  local heads_at, payloads_at = at + count - 1, at + 2 * count - 1
  local ids_at = at - 1
  local holders = fetch('HMGET', IDS, ARGV, at, ids_at + count)
  local held = {}
  for job = 1, count do
    if holders[job] then held[#held + 1] = holders[job] end
  end
  return held, function(job)
    return admit(ARGV[ids_at + job], options_of(job), ARGV[heads_at + job], ARGV[payloads_at + job], holders[job])
  end
end
