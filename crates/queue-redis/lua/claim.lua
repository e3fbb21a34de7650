#!lua flags=allow-oom
-- Leases due jobs (lifecycle::lease, in Lua), in order: lowest priority, earliest run_at, lowest
-- seq.
--
-- In: for each claim of the queue seven ARGV from 3 on: limit, lease in ms, token, worker, until
-- when the sender listens or '', bytes of payloads, most jobs of partitions with a limit.
-- Out: now, clock, number, { the number of the pause or 0, then for each claim next_due, -1 for
-- never, -2 for now since its share of limited partitions kept jobs back, the seqs as one string, {
-- for each job state, payload, error details and end signals if it has some } }; where there are
-- paused kinds also these as META has them, and how many jobs were set aside. Claims at the end
-- that the answer has no room for are left out of it, and were not begun. Each gets what it would
-- if they came one after the other; next_due is told as the last of them leaves it.
-- Guard: waiting and due, neither the queue nor the kind is paused, and the sender still listens;
-- the payloads have room. Keeps I3, I11, I12, I20, I24. Allowed on a full server, so that it
-- drains. Whatever is answered about the future is read before anything is written (part/write.lua
-- says why).
-- Cost: O(log n) for each job in READY and LEASES; the jobs that became due since the last claim
-- are moved first, and the ones whose gate timed out. With paused kinds as part/clear_front.lua
-- says, with partitions as part/turns.lua says.
-- @part queue
-- @part constants
-- @part single_claim
-- @part state
-- @part hints
-- @part room
-- @part changes
-- @part promote

-- Bytes of payloads for all claims together, but the first of them is always served.
local ANSWER_BYTES_MAX = 16777216
local KEPT_BACK = -2
local ARGS_EACH = 7
local SET_ASIDE_MAX = 1000

-- The earliest time in an index that is scored by time, from a bound on.
local function earliest(index, bound)
  local score = call('ZRANGEBYSCORE', index, bound, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  return score and tonumber(score) or NEVER
end

-- The due time of the ready job that has `before` others in front of it.
local function ready_since(before)
  local member = call('ZRANGE', READY, before, before)[1]
  return member and read('>I6', member, 3) or NEVER
end

local claims, wanted = {}, 0
for at = 3, #ARGV, ARGS_EACH do
  local not_after, worker = tonumber(ARGV[at + 4]), ARGV[at + 3]
  local is_late = not_after and now > not_after
  local left = (paused or is_late) and 0 or tonumber(ARGV[at])
  local expires_at = now + tonumber(ARGV[at + 1])
  wanted = wanted + left
  claims[#claims + 1] = {
    left = left, limited = tonumber(ARGV[at + 6]), is_late = is_late, expires_at = expires_at, fits = room_of(tonumber(ARGV[at + 5])), seqs = {}, jobs = {}, fronts = {},
    score = text(expires_at), ends = pack('>I6', expires_at), worker_bytes = #worker, proof = ARGV[at + 2] .. worker,
  }
end
-- What is leased: seqs, their records, and the claim that takes each.
local next_due, seqs, found, takers, count = earliest(LEASES, '-inf'), {}, nil, {}, 0
-- How many of the claims are served, and the bytes of their payloads.
local served, bytes = #claims, 0
-- @part kinds
-- Where there are paused kinds or partitions: what enters LISTED and leaves READY for it, what
-- leaves LISTED, the kinds that stay, and how many jobs were set aside; what META is to have of
-- partitions.
local aside, leaving, brought_back, kept, set_aside, lane_fields
-- Whether jobs came due, which may then be of full partitions: the time counts for all handles.
local has_moved = false
-- Where there may be jobs behind gates: those whose time-out has come, and whether there are more.
local timed_out, keeps_gates = nil, has_gates
if has_gates then
-- @part time_outs
end
if has_partitions then
-- @part claim_in_turn
else
-- @part claim_in_order
end
local bodies = fetch('HMGET', PAYLOAD, seqs)
-- The names of the signals that jobs send, and the place of each in what is read of them.
local senders, sends = nil, {}
for at = 1, count do
  if not bodies[at] then return redis.error_reply('CORRUPT an entry of the ready index has no payload') end
  if has(byte(found[at], 43), HAS_SIGNALS) then
    senders = senders or {}
    sends[at] = #senders + 1
    senders[sends[at]] = seqs[at] .. 'r'
  end
end
local signals = senders and fetch('HMGET', OUTCOME, senders)
if timed_out then
  brought_back = brought_back or {}
  for at = 1, #timed_out do
    brought_back[#brought_back + 1] = timed_out[at]
  end
end
local held, leases, failing, unlisted, claimed_at = {}, {}, 0, brought_back, pack('>I6', now)
for at = 1, count do
  local seq, job, claim = seqs[at], found[at], takers[at]
  local token_length, worker_length = byte(job, 44, 45)
  local former = sub(job, 1, FRONT_BYTES + token_length + worker_length)
  local leased = claim.fronts[former]
  if not leased then
    local ends, proof, worker_bytes = claim.ends, claim.proof, claim.worker_bytes
-- @part leased_front
    leased = front
    claim.fronts[former] = leased
  end
  local state, flags = byte(job, 1, 2)
  if state == FAILING then
    failing = failing + 1
    unlisted = unlisted or {}
    unlisted[#unlisted + 1] = listed_as(job, seq)
  end
  job = leased .. sub(job, #former + 1)
  held[2 * at - 1], held[2 * at] = seq, job
  leases[2 * at - 1], leases[2 * at] = claim.score, seq
  local jobs = claim.jobs
  local said = #jobs
  claim.seqs[#claim.seqs + 1] = seq
  jobs[said + 1], jobs[said + 2] = job, bodies[at]
  if has(flags, HAS_DETAILS) then jobs[said + 3] = call('HGET', OUTCOME, seq .. 'e') end
  if sends[at] then jobs[#jobs + 1] = signals[sends[at]] end
  if is_fed then tell(seq, job, PROCESSING) end
end
local is_changed = count > 0
if has_kinds or has_partitions then
  many('ZADD', LISTED, aside)
  is_changed = #leaving > 0 or #brought_back > 0 or has_kinds and #kept < #kinds or lane_fields and #lane_fields > 0
end
local loses_gates = has_gates and not keeps_gates
if loses_gates or has_kinds and #kept < #kinds then
  kept = kept or {}
-- @part save_kinds
end
is_changed = is_changed or loses_gates or has_moved or timed_out and #timed_out > 0
if is_changed then
  many('HSET', STATE, held)
  many('ZADD', LEASES, leases)
  many('HSET', META, lane_fields)
  if has_kinds or has_partitions then
    many('ZREM', READY, leaving)
  elseif count > 0 then
    call('ZREMRANGEBYRANK', READY, 0, count - 1)
  end
  many('ZREM', LISTED, unlisted)
  if failing < count then call('HINCRBY', META, 'jobs0', failing - count) end
  if failing > 0 then call('HINCRBY', META, 'jobs2', -failing) end
  if count > 0 then call('HINCRBY', META, 'jobs1', count) end
-- @part publish
elseif now > clock and now > mark then
  -- While the clock is behind, claims carry time on for handles that do nothing else, and for those
  -- to come.
  call('SET', MARK, text(now))
end
local answer = { paused and paused_until or 0 }
for at = 1, served do
  local claim = claims[at]
  local due = next_due
  if claim.is_late then
    due = now
  elseif claim.is_kept_back then
    due = KEPT_BACK
  elseif claim.is_cut_short then
    due = math.min(due, now)
  elseif due == NEVER then
    due = -1
  end
  answer[3 * at - 1], answer[3 * at], answer[3 * at + 1] = due, table.concat(claim.seqs), claim.jobs
end
return { now, clock, number, answer, kinds_text, set_aside }
