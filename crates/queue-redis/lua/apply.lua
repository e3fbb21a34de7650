#!lua flags=allow-oom
-- Applies decided transitions, each atomic by itself, in order: compares guards and writes patches
-- (lifecycle::apply, in Lua, field by field; no rule about outcomes is here).
--
-- In from ARGV[3]: the queue's number as the seqs have it, the count of transitions, their shapes
-- (guard and patch without what differs from job to job, src/transition.rs), all seqs as one
-- string, all ids with their lengths as another; one large part (a result, error details, progress,
-- a content type or a payload) for each, or one for all, and before them how many; two bytes each
-- for how many jobs follow, or '' if none does; their count; the jobs (part/admit.lua).
-- Out: now, clock, number, { place of each transition that is not done, and 1 lease lost, 2 stale,
-- 3 missing }, { for each transition its record, '' if missing }.
-- Guard: the transition's own, against the record (I4, I5, I6, I10). Keeps I1, I7, I13, I19, I20,
-- I24. Allowed on a full server.
-- Cost: one read and one write of the state string, O(log n) to leave an index and to enter one.
-- @part queue
-- @part constants
local BY_LEASE, LAPSED, LIVE, ANY_FLAGS = 1, 1, 2, 255
local REQUEUE, FINISH, REMOVE, EXTEND, FLAG, RETAIN, AMEND = 1, 2, 3, 4, 5, 6, 7
local AMENDS_PAYLOAD, AMENDS_PRIORITY, AMENDS_TERMS = 1, 2, 4
local SOONEST, AFTER, NEVER_PURGED = 1, 2, 3
local WITH_ERROR, FRESH, WITH_RESULT, WITH_DETAILS, WITH_PROGRESS, WITH_SMALL_RESULT = 1, 2, 4, 8, 16, 32
local LIFTS_EXPIRY, WITH_TYPE = 64, 128
local IS_DONE, IS_LOST, IS_STALE, IS_MISSING = 0, 1, 2, 3
local HAS_FAILED, HAS_STALLED, ATTEMPTS_MAX = 0, 1, 10
-- @part single_settle
-- @part state
-- @part tail
-- @part hints
-- @part jobs
-- @part shapes
-- @part admit

local function read_shape(shape)
  local proof, lapse, seen, settle, number, kind, state, reason, mode, marks, failures, stalls, span, at =
    read('>BBBBI6BBBBBI4I4I6', shape)
  local token = proof == BY_LEASE and sub(shape, at, at + 15)
  -- The rest is the failure, behind the number of its bytes that an attempt keeps; or terms.
  local excerpt, failure, terms
  if has(marks, WITH_ERROR) then
    at = token and at + 16 or at
    failure = sub(shape, at + 2)
    excerpt = sub(failure, 1, read('>I2', shape, at))
  elseif kind == AMEND then
    terms = sub(shape, token and at + 16 or at)
  end
  return {
    lapse = lapse, seen = seen, settle = settle, number = number, kind = kind, state = state, reason = reason, mode = mode,
    failures = failures, stalls = stalls, token = token, time = now + span, marks = marks,
    failure = failure and pack('>I6', now) .. failure, excerpt = excerpt, terms = terms, plans = {},
  }
end

-- Works out what becomes of all jobs whose state string begins with this front: an outcome, and if
-- they change, a new front.
local function plan_of(sent, front)
  local state, flags, reason, settled, revision, epoch, failures, stalls, when, purge_at, claimed_at, extras, token_length,
    worker_length, failure_length, progress_length = read(FRONT, front)
  local tail = #front + 1
  local plan = {
    tail = tail, id_at = tail + TAIL_BYTES + failure_length + progress_length, failure_length = failure_length,
    progress_length = progress_length, answer = IS_DONE,
  }
  sent.plans[front] = plan
  if purge_at <= now then
    plan.answer = IS_MISSING
    return plan
  end

  -- The guard.
  local is_leased = state == PROCESSING
  local is_lapsed = is_leased and when <= now
  local lapse_fails = sent.lapse == LAPSED and not is_lapsed or sent.lapse == LIVE and is_lapsed
  if not sent.token then
    if sent.number ~= revision or lapse_fails then plan.answer = IS_STALE end
  elseif sent.number ~= epoch then
    plan.answer = IS_LOST
  else
    local is_same = token_length == 16 and sub(front, 51, 66) == sent.token
    if not (is_leased and is_same) then
      -- A sender without the present lease repeats its own settle, or is late.
      plan.answer = sent.settle > 0 and is_same and settled == sent.settle and IS_DONE or IS_LOST
      return plan
    elseif lapse_fails then
      plan.answer = IS_LOST
    elseif sent.seen ~= ANY_FLAGS and sent.seen ~= flags % 4 then
      plan.answer = IS_STALE
    end
  end
  if plan.answer ~= IS_DONE then return plan end

  -- The patch.
  local kind, marks, was_flags = sent.kind, sent.marks, flags
  local token, worker = sub(front, 51, 50 + token_length), sub(front, 51 + token_length)
  local is_fresh = has(marks, FRESH)
  if sent.settle > 0 then settled = sent.settle end
  if kind == REQUEUE or kind == FINISH then
    -- The lease ends. Its token stays as the proof of the settle, unless nobody settled it.
    if is_leased and sent.failure then
      plan.attempt = pack('>I6I6I6BB', epoch, claimed_at, now, sent.stalls > stalls and HAS_STALLED or HAS_FAILED, worker_length)
        .. worker .. sent.excerpt
      plan.had_attempts = has(extras, HAS_ATTEMPTS)
      if not plan.had_attempts then extras = extras + HAS_ATTEMPTS end
    end
    worker = ''
    if settled == 0 then token = '' end
    state, failures, stalls = sent.state, sent.failures, sent.stalls
    plan.failure = sent.failure or nil
    local had_result, had_within = has(flags, HAS_RESULT), has(flags, RESULT_WITHIN)
    if has(marks, WITH_SMALL_RESULT) then
      flags = flags + (had_result and 0 or HAS_RESULT) + (had_within and 0 or RESULT_WITHIN)
      plan.is_small, plan.drops_result, plan.drops_small = true, had_result and not had_within, had_within
    elseif has(marks, WITH_RESULT) then
      flags = flags + (had_result and 0 or HAS_RESULT) - (had_within and RESULT_WITHIN or 0)
      plan.field, plan.drops_small = '', had_within
    elseif has(marks, WITH_DETAILS) then
      flags = flags + (has(flags, HAS_DETAILS) and 0 or HAS_DETAILS)
      plan.field = 'e'
    else
      if (sent.failure or is_fresh) and has(flags, HAS_DETAILS) then
        plan.drops_details = true
        flags = flags - HAS_DETAILS
      end
      if is_fresh and had_result then
        plan.drops_result, plan.drops_small = not had_within, had_within
        flags = flags - HAS_RESULT - (had_within and RESULT_WITHIN or 0)
      end
    end
    if kind == FINISH then
      reason, when, purge_at = sent.reason, now, sent.mode == NEVER_PURGED and NEVER or sent.time
    else
      if is_leased or is_fresh then when = 0 end
      if has(marks, LIFTS_EXPIRY) and not has(flags, EXPIRY_LIFTED) then flags = flags + EXPIRY_LIFTED end
      plan.takes_type = has(marks, WITH_TYPE)
      if has(marks, WITH_PROGRESS) then
        plan.takes_progress = true
        flags = flags + (has(flags, HAS_PROGRESS) and 0 or HAS_PROGRESS)
      end
      plan.run_at, plan.is_soonest = sent.mode == AFTER and sent.time, sent.mode == SOONEST
      if is_fresh then
        flags = flags - flags % 2 - (has(flags, HAS_PROGRESS) and HAS_PROGRESS or 0)
        plan.failure, plan.progress, reason, purge_at = plan.failure or '', '', 0, NEVER
      end
    end
  elseif kind == EXTEND then
    if is_leased then when = sent.time end
    if has(marks, WITH_PROGRESS) then
      plan.takes_progress = true
      flags = flags + (has(flags, HAS_PROGRESS) and 0 or HAS_PROGRESS)
    end
  elseif kind == FLAG then
    if has(sent.state, CANCEL_REQUESTED) and not has(flags, CANCEL_REQUESTED) then flags = flags + CANCEL_REQUESTED end
    if has(sent.state, AWAITED) and not has(flags, AWAITED) then flags = flags + AWAITED end
  elseif kind == RETAIN then
    purge_at = sent.mode == NEVER_PURGED and NEVER or sent.time
  elseif kind == AMEND then
    plan.is_amended, plan.run_at = true, sent.mode == AFTER and sent.time
    plan.priority = has(sent.state, AMENDS_PRIORITY) and pack('>I2', sent.failures)
    if has(sent.state, AMENDS_PAYLOAD) then plan.takes_type, plan.takes_payload = true, true end
    if has(sent.state, AMENDS_TERMS) then
      plan.terms = sent.terms
      extras = extras - (has(extras, HAS_TERMS) and HAS_TERMS or 0) + (plan.terms ~= '' and HAS_TERMS or 0)
    end
  end

  plan.state, plan.flags = state, flags
  plan.is_told = is_told(state, flags)
  plan.changes_tail = plan.failure or plan.progress or plan.run_at or plan.is_soonest or plan.takes_progress
    or plan.drops_small or kind == AMEND
  plan.ends_lease = is_leased and (kind == FINISH or kind == REMOVE)
  plan.listed = (state == FAILED or state == CANCELLED) and pack('>BI6', state, when)
  plan.purge_score = purge_at == NEVER and '+inf' or text(purge_at)
  -- Between the two stand the lengths of error and progress.
  plan.before = pack('>BBBBI6I6I4I4I6I6I6BBB', state, flags, reason, settled, revision + 1, epoch, failures, stalls, when, purge_at,
    claimed_at, extras, #token, #worker)
  plan.behind = token .. worker
  plan.front = plan.before .. sub(front, 46, 50) .. plan.behind
  return plan
end

-- The state string of a job whose tail does not stay as it is.
local function patched(plan, job, large)
  local tail, head = plan.tail, plan.id_at
  local place, errors_at = sub(job, tail, tail + TAIL_BYTES - 1), tail + TAIL_BYTES
  local run_at = plan.run_at or plan.is_soonest and math.min(read('>I6', place, 3), now)
  if run_at then place = sub(place, 1, 2) .. pack('>I6', run_at) .. sub(place, 9) end
  local failure = plan.failure or sub(job, errors_at, errors_at + plan.failure_length - 1)
  local progress = plan.takes_progress and large or plan.progress or sub(job, errors_at + plan.failure_length, head - 1)
  local rest = plan.drops_small and sub(job, head, result_at(job, head) - 1) or sub(job, head)
  if plan.is_amended then
    if plan.priority then place = plan.priority .. sub(place, 3) end
    if plan.takes_payload then place = sub(place, 1, 14) .. pack('>I4', #large - 1 - byte(large)) end
    if plan.terms then
      rest = sub(job, head, terms_at(job, head) - 1) .. plan.terms .. sub(job, tags_at(job, head))
    end
  end
  return plan.before .. pack('>I2I3', #failure, #progress) .. plan.behind .. place .. failure .. progress .. rest
end

-- The attempts that are kept of a life, and one more (Attempt::push, in Lua): how many there are,
-- then each behind its length.
local function with_attempt(plan, seq)
  local kept = plan.had_attempts and call('HGET', OUTCOME, seq .. 'a') or '\0'
  local others, from = byte(kept), 2
  if others == ATTEMPTS_MAX then others, from = others - 1, 4 + read('>I2', kept, 2) end
  return string.char(others + 1) .. sub(kept, from) .. pack('>I2', #plan.attempt) .. plan.attempt
end

local find = string.find
local of, count = tonumber(ARGV[3]), tonumber(ARGV[4])
local shape_of, at = read_shapes(5, read_shape)
local seqs_text, ids_text, larges_count = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
local larges_at = at + 2
at = at + 3 + larges_count
local follows, follow = ARGV[at], tonumber(ARGV[at + 1])
local seqs, held_count, admit = {}, 0, nil
if follow > 0 then
  seqs, admit = read_jobs(at + 2, follow)
  held_count = #seqs
end
-- Lives of a queue that had another number are not here.
if of == number then
  for item = 1, count do
    seqs[held_count + item] = sub(seqs_text, 6 * item - 5, 6 * item)
  end
end
load(seqs)

local answers, others, id_at, behind, bodies = {}, {}, 1, 0, nil
for item = 1, count do
  local seq, sent, became, answer = seqs[held_count + item], shape_of(item), IS_MISSING, ''
  local job = seq and present[seq]
  local id_end = id_at + byte(ids_text, id_at)
  if job then
    local token_length, worker_length = byte(job, 44, 45)
    local front = sub(job, 1, 50 + token_length + worker_length)
    local plan = sent.plans[front] or plan_of(sent, front)
    local id = sub(ids_text, id_at, id_end)
    if plan.answer ~= IS_MISSING and find(job, id, plan.id_at, true) == plan.id_at then
      became, answer = plan.answer, job
      if plan.front then
        local large = ARGV[larges_at + (larges_count == 1 and 1 or item)]
        answer = plan.changes_tail and patched(plan, job, large) or plan.front .. sub(job, plan.tail)
        if plan.is_small then
          answer = answer .. large
        elseif plan.takes_type then
          -- What this script has made of the payload is written at its end. Behind an amended one
          -- the headers stay.
          retyped, bodies = retyped or {}, bodies or {}
          local body = bodies[seq] or call('HGET', PAYLOAD, seq)
          body = large .. sub(body, 2 + byte(body) + (plan.takes_payload and payload_bytes(job) or 0))
          retyped[#retyped + 1], retyped[#retyped + 2], bodies[seq] = seq, body, body
        elseif plan.field then
          outcomes = outcomes or {}
          outcomes[outcomes_count + 1], outcomes[outcomes_count + 2] = seq .. plan.field, large
          outcomes_count = outcomes_count + 2
        end
        if plan.attempt then
          outcomes = outcomes or {}
          outcomes[outcomes_count + 1], outcomes[outcomes_count + 2] = seq .. 'a', with_attempt(plan, seq)
          outcomes_count = outcomes_count + 2
        end
        if plan.drops_result or plan.drops_details then
          unoutcomes = unoutcomes or {}
          if plan.drops_result then unoutcomes[#unoutcomes + 1] = seq end
          if plan.drops_details then unoutcomes[#unoutcomes + 1] = seq .. 'e' end
        end
        if sent.kind == REMOVE then
          remove(seq, answer, sub(id, 2), plan)
        else
          touch(seq, plan)
          present[seq] = answer
          if plan.is_told then tell(seq, answer, plan.state) end
          if is_waiting(plan.state) then is_woken = true end
        end
      end
    end
  end
  id_at = id_end + 1
  answers[item] = answer
  if became ~= IS_DONE then others[#others + 1], others[#others + 2] = item, became end
  if follow > 0 then
    -- Followers are stored with the job that they follow, once.
    local high, low = byte(follows, 2 * item - 1, 2 * item)
    local is_new = became == IS_DONE and present[seq] ~= job
    for new = behind + 1, is_new and behind + high * 256 + low or behind do
      admit(new)
    end
    behind = behind + high * 256 + low
  end
end
-- @part write
-- @part publish
return { now, clock, number, others, answers }
