-- Part of settles and changes: what becomes of a job by a guard and a patch.

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
  plan.has_partition = has(extras, HAS_PARTITION)
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
