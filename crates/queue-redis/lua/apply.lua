#!lua flags=allow-oom
-- Applies decided transitions, each atomic by itself, in order: compares guards and writes patches
-- (lifecycle::apply, in Lua, field by field; no rule about outcomes is here). After the patch of a
-- job come its followers with their raises, a look at its gate, its end signals (part/gates.lua).
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
-- With end signals also one read of these, and the same for each job that they are to, once.
-- @part queue
-- @part constants
local BY_LEASE, LAPSED, LIVE, ANY_FLAGS = 1, 1, 2, 255
local REQUEUE, FINISH, REMOVE, EXTEND, FLAG, RETAIN, AMEND, SEAL = 1, 2, 3, 4, 5, 6, 7, 8
-- What is added to the kind of a patch that sends end signals, for each outcome once more.
local SIGNALS_END = 16
-- In place of a reason: a requeue closes the gate.
local CLOSES = 1
local SETS_NEEDS, SEALS, HEEDS = 1, 2, 4
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
-- @part gates
-- @part admit

-- Whether a transition sends end signals.
local sends = false

-- How a requeue closes the gate of its job.
local function read_closes(shape, at)
  local flags, high, low, seen_high, seen_low = read('>BI4I4I4I4', shape, at)
  return {
    high = has(flags, SETS_NEEDS) and high, low = low, seals = has(flags, SEALS), heeds_urgent = has(flags, HEEDS),
    seen = seen_high * 4294967296 + seen_low,
  }
end

local function read_shape(shape)
  local proof, lapse, seen, settle, number, kind, state, reason, mode, marks, failures, stalls, span, at =
    read('>BBBBI6BBBBBI4I4I6', shape)
  local token = proof == BY_LEASE and sub(shape, at, at + 15)
  local outcome
  if kind >= SIGNALS_END then
    outcome, kind = math.floor(kind / SIGNALS_END) - 1, kind % SIGNALS_END
    sends = true
  end
  if token then at = at + 16 end
  local closes = kind == REQUEUE and reason == CLOSES and read_closes(shape, at)
  if closes then at = at + 17 end
  -- The rest is the failure, behind the number of its bytes that an attempt keeps; or terms.
  local excerpt, failure, terms
  if has(marks, WITH_ERROR) then
    failure = sub(shape, at + 2)
    excerpt = sub(failure, 1, read('>I2', shape, at))
  elseif kind == AMEND then
    terms = sub(shape, at)
  end
  return {
    lapse = lapse, seen = seen, settle = settle, number = number, kind = kind, state = state, reason = reason, mode = mode,
    failures = failures, stalls = stalls, token = token, time = now + span, marks = marks,
    failure = failure and pack('>I6', now) .. failure, excerpt = excerpt, terms = terms, plans = {}, outcome = outcome,
    closes = closes, opens = kind == REQUEUE and (mode == SOONEST or has(marks, FRESH)), looks = closes or kind == SEAL,
  }
end

-- @part plan

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
if sends then
  make_gates()
  local senders = {}
  for item = 1, of == number and count or 0 do
    if shape_of(item).outcome then senders[#senders + 1] = seqs[held_count + item] end
  end
  read_owed(senders)
end

local answers, others, named_at, behind, bodies = {}, {}, 1, 0, nil
for item = 1, count do
  local seq, sent, became, answer = seqs[held_count + item], shape_of(item), IS_MISSING, ''
  local job = seq and present[seq]
  local id_end = named_at + byte(ids_text, named_at)
  if job then
    local token_length, worker_length = byte(job, 44, 45)
    local front = sub(job, 1, 50 + token_length + worker_length)
    local plan = sent.plans[front] or plan_of(sent, front)
    local id = sub(ids_text, named_at, id_end)
    if plan.answer ~= IS_MISSING and find(job, id, plan.id_at, true) == plan.id_at then
      became, answer = plan.answer, job
      if plan.front then
        local large = ARGV[larges_at + (larges_count == 1 and 1 or item)]
        answer = plan.changes_tail and patched(plan, job, large) or plan.front .. sub(job, plan.tail)
        if (sent.opens or sent.looks) and (sent.closes or has(byte(answer, 43), HAS_GATE)) then
          if not look then make_gates() end
          answer = change_gate(answer, sent)
        end
        if sent.outcome and has(byte(answer, 43), HAS_SIGNALS) then
          -- What it owes stands before a small result, which is the last of a record.
          local keeps_small = has(plan.flags, RESULT_WITHIN) and not plan.is_small
          local owed_at = keeps_small and result_at(answer, id_at(answer)) - 1 or #answer
          answer = sub(answer, 1, owed_at - 1) .. pack('>B', SIGNALS_SENT) .. sub(answer, owed_at + 1)
        end
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
  named_at = id_end + 1
  answers[item] = answer
  if became ~= IS_DONE then others[#others + 1], others[#others + 2] = item, became end
  local is_new = became == IS_DONE and present[seq] ~= job
  local followed = 0
  if follow > 0 then
    -- Followers are stored with the job that they follow, once.
    local high, low = byte(follows, 2 * item - 1, 2 * item)
    local holder = is_new and present[seq] and byte(present[seq]) < COMPLETED and seq
    followed = high * 256 + low
    for new = behind + 1, is_new and behind + followed or behind do
      admit(new, holder)
    end
    behind = behind + followed
  end
  -- The followers may have raised the gate of the job itself.
  if is_new and (sent.looks or followed > 0) and present[seq] then
    if sent.looks and has(byte(present[seq], 43), HAS_GATE) then look(seq, sent) end
    answers[item] = present[seq]
  end
  if is_new and sent.outcome then send(seq, sent.outcome) end
end
-- @part write
-- @part publish
return { now, clock, number, others, answers }
