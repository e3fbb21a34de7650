-- Part: the rule of ids, and the beginning of a life (lifecycle::admit, JobMeta::begin and
-- JobMeta::replacing, in Lua; I9).
--
-- New jobs come as shapes of their options (delay, marks, priority, and where a mark says so how
-- long it may be put off), then all heads (of a state string the payload's length, and from the id
-- on), all payloads. Of a job with end signals these stand before its payload, behind their length.
local AWAITED_NEW, REPLACE_FAILED, EXPIRES_NEW, REPLACE_WAITING, TAGS_NEW, TERMS_NEW = 1, 2, 4, 8, 16, 32
local GATE_NEW, SIGNALS_NEW = 64, 128
-- A byte behind all other options says so of a job that has one.
local PARTITION_NEW = 1

-- The common part of the first state strings of jobs with the same options.
local function read_options(options)
  local delay, marks, priority = read('>I6Bc2', options)
  local flags = (has(marks, AWAITED_NEW) and AWAITED or 0) + (has(marks, EXPIRES_NEW) and HAS_EXPIRY or 0)
  local has_tags = has(marks, TAGS_NEW)
  local has_gate, has_signals = has(marks, GATE_NEW), has(marks, SIGNALS_NEW)
  local has_partition = byte(options, has(marks, REPLACE_WAITING) and 16 or 10) == PARTITION_NEW
  local extras = (has_tags and HAS_TAGS or 0) + (has(marks, TERMS_NEW) and HAS_TERMS or 0) + (has_gate and HAS_GATE or 0)
    + (has_signals and HAS_SIGNALS or 0) + (has_partition and HAS_PARTITION or 0)
  local run_at = now + delay
  local place = priority .. pack('>I6', run_at)
  return {
    replaces_failed = has(marks, REPLACE_FAILED),
    max_wait = has(marks, REPLACE_WAITING) and read('>I6', options, 10),
    state = pack(FRONT, QUEUED, flags, 0, 0, 1, 0, 0, 0, 0, NEVER, 0, extras, 0, 0, 0, 0) .. place .. pack('>I6', now),
    place = place,
    has_tags = has_tags,
    has_gate = has_gate,
    has_signals = has_signals,
    has_partition = has_partition,
    run_at = run_at,
  }
end

-- The same for one job that takes the place of a waiting one: it is as old as the waiting job, and
-- its delay counts from that job's beginning.
local function in_place_of(former, options)
  local tail = tail_of(former)
  local since = sub(former, tail + 8, tail + 13)
  local run_at = options.run_at
  if options.max_wait < NEVER then run_at = math.min(run_at, math.max(read('>I6', since) + options.max_wait, now)) end
  local place = sub(options.place, 1, 2) .. pack('>I6', run_at)
  local state = sub(options.state, 1, FRONT_BYTES) .. place .. since
  return { state = state, place = place, run_at = run_at, has_tags = options.has_tags, has_partition = options.has_partition }
end

-- Reads a block of new jobs. Answers the seqs that hold their ids, as far as they do, and a
-- function that admits one of them, unless its id is taken: then it answers the seq that holds it,
-- and its record if it was there before this script. An orphan it answers with ''. It is called in
-- the order of the jobs, with the job whose own step enqueues this one, if that has not ended.
local function read_jobs(base, count)
  local options_of, at = read_shapes(base, read_options)
  local heads_at, payloads_at = at - 1, at + count - 1
  local new_ids, held = {}, {}
  for job = 1, count do
    local head = ARGV[heads_at + job]
    new_ids[job] = sub(head, 6, byte(head, 5) + 5)
  end
  local holders = fetch('HMGET', IDS, new_ids)
  for job = 1, count do
    if holders[job] then held[#held + 1] = holders[job] end
  end
  taken, ids, payloads, ready = {}, {}, {}, {}
  local begun = 0
  return held, function(job, by)
    local id, holder, options = new_ids[job], holders[job], options_of(job)
    if taken[id] then
      if not options.max_wait then return taken[id] end
      -- A life of this very script: its place in `states` follows from its seq, since no record is
      -- added before it ends.
      holder = taken[id]
      present[holder] = states[2 * (read('>I6', holder) - last_seq)]
    end
    local former = holder and present[holder]
    if former then
      local state = byte(former, 1)
      if has(byte(former, 43), HAS_SIGNALS) and not is_purged(former) then return holder, former end
      if is_waiting(state) and options.max_wait and not is_expired(former) then
        options = in_place_of(former, options)
      elseif not (state == CANCELLED or state == FAILED and options.replaces_failed or is_purged(former)
        or is_expired(former)) then
        return holder, former
      end
    end
    local payload, signals, owes = ARGV[payloads_at + job], nil, nil
    if options.has_signals then
      if not resolve then make_gates() end
      local signals_end = 2 + read('>I2', payload)
      signals, owes = resolve(sub(payload, 3, signals_end), by)
      if not signals then return '' end
      payload = sub(payload, signals_end + 1)
    end
    if former then remove(holder, former, id, false) end
    seq_mark = seq_mark + 1
    local seq, state = pack('>I6', seq_mark), options.state .. ARGV[heads_at + job]
    if owes then
      state = state .. pack('>B', owes)
      outcomes = outcomes or {}
      outcomes[outcomes_count + 1], outcomes[outcomes_count + 2] = seq .. 'r', signals
      outcomes_count = outcomes_count + 2
    end
    taken[id] = seq
    ids[begun + 1], ids[begun + 2] = id, seq
    payloads[begun + 1], payloads[begun + 2] = seq, payload
    begun = begun + 2
    states[states_count + 1], states[states_count + 2] = seq, state
    states_count = states_count + 2
    local partition = options.has_partition and partition_of(state)
    if partition then count_in(partition, state, 1) end
    if options.has_gate and options.run_at > now then
      gated = gated or {}
      gated[#gated + 1] = seq
    elseif options.run_at > now then
      wait(seq, options.place, options.run_at, false, partition)
    elseif partition then
      listed = listed or {}
      enter_partition(listed, partition, options.place .. seq)
    else
      ready[ready_count + 1], ready[ready_count + 2] = '0', options.place .. seq
      ready_count = ready_count + 2
    end
    if options.has_tags then
      listed = listed or {}
      add_tags(listed, state, seq, '0')
    end
    is_woken = true
    if is_fed then tell(seq, state, QUEUED) end
  end
end
