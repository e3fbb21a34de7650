-- Part: compares guards and writes patches (lifecycle::apply, in Lua, field by field; no rule about outcomes is here).
--
-- Transitions come as shapes (guard and patch without what differs from job to job, src/transition.rs), then all seqs, all ids,
-- and one large part each: a result, error details or progress.
local SHAPE = '>BBBBI6BBBBBI4I4I6'
local BY_LEASE, LAPSED, LIVE, ANY_FLAGS = 1, 1, 2, 255
local REQUEUE, FINISH, REMOVE, EXTEND, FLAG, RETAIN = 1, 2, 3, 4, 5, 6
local SOONEST, AFTER, NEVER_PURGED = 1, 2, 3
local WITH_ERROR, FRESH, WITH_RESULT, WITH_DETAILS, WITH_PROGRESS = 1, 2, 4, 8, 16
local IS_DONE, IS_LOST, IS_STALE, IS_MISSING = 0, 1, 2, 3

local function read_shape(text)
  local proof, lapse, seen, settle, revision, kind, state, reason, mode, marks, failures, stalls, span, at = read(SHAPE, text)
  local token = proof == BY_LEASE and sub(text, at, at + 15)
  local failure = has(marks, WITH_ERROR) and sub(text, token and at + 16 or at)
  return {
    lapse = lapse, seen = seen, settle = settle, revision = revision, kind = kind, state = state, reason = reason, mode = mode,
    failures = failures, stalls = stalls, token = token, failure = failure, time = now + span,
    is_fresh = has(marks, FRESH), has_result = has(marks, WITH_RESULT), has_details = has(marks, WITH_DETAILS),
    has_progress = has(marks, WITH_PROGRESS),
  }
end

local function outcome(field, large)
  outcomes[outcomes_count + 1], outcomes[outcomes_count + 2] = field, large
  outcomes_count = outcomes_count + 2
end

local function with(flags, flag)
  return has(flags, flag) and flags or flags + flag
end

local function without(flags, flag)
  return has(flags, flag) and flags - flag or flags
end

-- What becomes of the result and the details of the last error (lifecycle::BodyPatch). Answers the flags that tell of them.
local function patch_outcome(seq, sent, flags, large)
  if sent.has_result then
    outcome(seq, large)
    return with(flags, HAS_RESULT)
  elseif sent.has_details then
    outcome(seq .. 'e', large)
    return with(flags, HAS_DETAILS)
  end
  if (sent.failure or sent.is_fresh) and has(flags, HAS_DETAILS) then
    unoutcomes[#unoutcomes + 1] = seq .. 'e'
    flags = flags - HAS_DETAILS
  end
  if sent.is_fresh and has(flags, HAS_RESULT) then
    unoutcomes[#unoutcomes + 1] = seq
    flags = flags - HAS_RESULT
  end
  return flags
end

-- Why the guard of a transition does not hold, or nil. `is_leased` is whether the job is held at all.
local function compare(sent, job, is_leased, is_lapsed, settled, revision, flags)
  local lapse_fails = sent.lapse == LAPSED and not is_lapsed or sent.lapse == LIVE and is_lapsed
  if not sent.token then
    if sent.revision ~= revision or lapse_fails then return IS_STALE end
    return nil
  end
  local is_same = byte(job, 51) == 16 and sub(job, REST, REST + 15) == sent.token
  if not (is_leased and is_same) then
    -- Somebody without the present lease repeats their own settle, or is late.
    if sent.settle > 0 and is_same and settled == sent.settle then return IS_DONE end
    return IS_LOST
  end
  if lapse_fails then return IS_LOST end
  if sent.seen ~= ANY_FLAGS and sent.seen ~= flags % 4 then return IS_STALE end
  return nil
end

-- Compares and patches one job. Answers what became of it and its record, and whether what follows shall be enqueued.
local function apply(seq, id, sent, large)
  local job = present[seq]
  if not job or is_purged(job) then return IS_MISSING, '' end
  local state, flags, reason, settled, revision, epoch, failures, stalls, run_at, when, purge_at, created_at, priority,
    token_length, worker_length, failure_length, progress_length = read(FIXED, job)
  local worker_at = REST + token_length
  local tail_at = worker_at + worker_length
  local head_at = tail_at + failure_length + progress_length
  if byte(job, head_at) ~= #id or string.find(job, id, head_at + 1, true) ~= head_at + 1 then return IS_MISSING, '' end

  local is_leased = state == PROCESSING
  local refused = compare(sent, job, is_leased, is_leased and when <= now, settled, revision, flags)
  if refused then return refused, job end

  local kind, failure, progress = sent.kind, nil, nil
  local token, worker = sub(job, REST, worker_at - 1), sub(job, worker_at, tail_at - 1)
  revision = revision + 1
  if sent.settle > 0 then settled = sent.settle end
  if kind == REQUEUE or kind == FINISH then
    -- The lease ends. Its token stays as the proof of the settle, unless nobody settled it.
    worker, worker_length = '', 0
    if settled == 0 then token, token_length = '', 0 end
    state, failures, stalls = sent.state, sent.failures, sent.stalls
    failure = sent.failure or nil
    flags = patch_outcome(seq, sent, flags, large)
    if kind == FINISH then
      reason, when, purge_at = sent.reason, now, sent.mode == NEVER_PURGED and NEVER or sent.time
    else
      if is_leased or sent.is_fresh then when = 0 end
      if sent.mode == AFTER then run_at = sent.time elseif sent.mode == SOONEST then run_at = math.min(run_at, now) end
      if sent.is_fresh then
        flags = without(without(flags, CANCEL_REQUESTED), HAS_PROGRESS)
        failure, progress, reason, purge_at = failure or '', '', 0, NEVER
      end
    end
  elseif kind == EXTEND then
    if is_leased then when = sent.time end
    if sent.has_progress then
      progress, flags = large, with(flags, HAS_PROGRESS)
    end
  elseif kind == FLAG then
    if has(sent.state, CANCEL_REQUESTED) then flags = with(flags, CANCEL_REQUESTED) end
    if has(sent.state, AWAITED) then flags = with(flags, AWAITED) end
  elseif kind == RETAIN then
    purge_at = sent.mode == NEVER_PURGED and NEVER or sent.time
  end

  -- The parts behind the fixed ones, each as it was unless the patch says otherwise.
  local tail
  if failure or progress then
    local progress_at = tail_at + failure_length
    failure = failure or sub(job, tail_at, progress_at - 1)
    progress = progress or sub(job, progress_at, head_at - 1)
    failure_length, progress_length = #failure, #progress
    tail = failure .. progress .. sub(job, head_at)
  else
    tail = sub(job, tail_at)
  end
  job = pack(FIXED, state, flags, reason, settled, revision, epoch, failures, stalls, run_at, when, purge_at, created_at,
    priority, token_length, worker_length, failure_length, progress_length) .. token .. worker .. tail
  if kind == REMOVE then remove(seq, job) else save(seq, job, state, flags) end
  return IS_DONE, job, true
end

-- The whole verb. From ARGV[base]: the queue's number as the seqs have it, the count of transitions, the shapes, seqs, ids and
-- large parts; two bytes each for how many jobs follow, or '' if none does; their count; the jobs (part/admit.lua).
-- Answers for each transition the outcome and the record.
local function apply_all(base)
  local of, count = tonumber(ARGV[base]), tonumber(ARGV[base + 1])
  local shape_of, at = read_shapes(base + 2, read_shape)
  local seqs_at, ids_at, larges_at = at - 1, at + count - 1, at + 2 * count - 1
  local follows, follow = ARGV[at + 3 * count], tonumber(ARGV[at + 3 * count + 1])
  local seqs, admit_job = {}, nil
  if follow > 0 then
    seqs, admit_job = read_jobs(at + 3 * count + 2, follow)
  end
  -- Lives of a queue that had another number are not here.
  local is_same = of == number
  local held = #seqs
  for item = 1, is_same and count or 0 do
    seqs[held + item] = ARGV[seqs_at + item]
  end
  load(seqs)
  local reply, behind = {}, 0
  for item = 1, count do
    local became, job, is_new = IS_MISSING, '', false
    if is_same then
      became, job, is_new = apply(ARGV[seqs_at + item], ARGV[ids_at + item], shape_of(item), ARGV[larges_at + item])
    end
    reply[2 * item - 1], reply[2 * item] = became, job
    if follow > 0 then
      local high, low = byte(follows, 2 * item - 1, 2 * item)
      local from = behind + 1
      behind = behind + high * 256 + low
      for job_at = from, is_new and behind or behind - high * 256 - low do
        admit_job(job_at)
      end
    end
  end
  if touched_count > 0 then flush() end
  return reply
end
