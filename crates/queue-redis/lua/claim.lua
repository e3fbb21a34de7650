#!lua flags=allow-oom
-- Leases due jobs (lifecycle::lease, in Lua), in order: lowest priority, earliest run_at, lowest seq.
--
-- In: ARGV 3 limit, 4 lease in ms, 5 token, 6 worker, 7 until when the sender listens or '', 8 bytes of payloads.
-- Out: now, clock, number, { paused, next_due or -1, the seqs as one string, { for each job state, payload, error details if it has
-- some } }.
-- Guard: waiting and due, the queue is not paused, and the sender still listens; the payloads have room. Keeps I3, I11, I12, I20, I24. Allowed on a full server, so that it drains.
-- Whatever is answered about the future is read before anything is written (part/write.lua says why).
-- Cost: O(log n) for each job in READY and LEASES; the jobs that became due since the last claim are moved first.
-- @part queue
-- @part state
-- @part hints
-- @part room

-- Scheduled jobs that one claim moves to the ready ones before it looks for its own; the rest follows with the next claim.
local PROMOTE_MAX = 10000

-- The earliest time in an index that is scored by time, from a bound on.
local function earliest(index, bound)
  local score = call('ZRANGEBYSCORE', index, bound, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  return score and tonumber(score) or NEVER
end

-- When the ready job that has so many before it became due.
local function ready_since(before)
  local member = call('ZRANGE', READY, before, before)[1]
  return member and read('>I6', member, 3) or NEVER
end

local limit, expires_at, not_after = tonumber(ARGV[3]), now + tonumber(ARGV[4]), tonumber(ARGV[7])
local is_late = not_after and now > not_after
local next_due, members = earliest(LEASES, '-inf'), {}
if paused or limit == 0 or is_late then
  next_due = math.min(next_due, earliest(LATER, '-inf'), ready_since(0))
else
  local later_text = text(now)
  next_due = math.min(next_due, earliest(LATER, '(' .. later_text))
  -- Due jobs leave LATER for READY. Their order there is their own, so portions do not matter.
  local due = call('ZRANGEBYSCORE', LATER, '-inf', later_text, 'LIMIT', 0, PROMOTE_MAX)
  if #due > 0 then
    local entries = {}
    for at = 1, #due do
      entries[2 * at - 1], entries[2 * at] = '0', due[at]
    end
    many('ZADD', READY, entries)
    call('ZREMRANGEBYRANK', LATER, 0, #due - 1)
    if #due == PROMOTE_MAX then next_due = math.min(next_due, now) end
  end
  members = call('ZRANGE', READY, 0, limit - 1)
  if #members == limit then next_due = math.min(next_due, ready_since(limit)) end
  if #members > 0 then next_due = math.min(next_due, expires_at) end
end

if is_late then next_due = now end

local seqs, count, fits = {}, 0, room_of(tonumber(ARGV[8]))
for at = 1, #members do
  seqs[at] = sub(members[at], 9)
end
local found = fetch('HMGET', STATE, seqs)
for at = 1, #members do
  if not found[at] then return redis.error_reply('CORRUPT an entry of the ready index has no record') end
  if not fits(payload_bytes(found[at])) then break end
  count = at
end
if count < #members then
  -- No payload is read that the answer has no room for.
  next_due = math.min(next_due, now)
  for at = #seqs, count + 1, -1 do
    seqs[at] = nil
  end
end
local bodies = fetch('HMGET', PAYLOAD, seqs)
for at = 1, count do
  if not bodies[at] then return redis.error_reply('CORRUPT an entry of the ready index has no payload') end
end
local ends, score, proof = pack('>I6', expires_at), text(expires_at), ARGV[5] .. ARGV[6]
local jobs, held, leases, fronts, failing, said = {}, {}, {}, {}, 0, 0
for at = 1, count do
  local seq, job = seqs[at], found[at]
  local token_length, worker_length = byte(job, 37, 38)
  local front_end = 43 + token_length + worker_length
  local former = sub(job, 1, front_end)
  local front = fronts[former]
  if not front then
    local revision, epoch = read('>I6I6', job, 5)
    front = pack('>B', PROCESSING) .. sub(job, 2, 3) .. pack('>BI6I6', 0, revision + 1, epoch + 1) .. sub(job, 17, 24) .. ends
      .. sub(job, 31, 36) .. pack('>BB', 16, #ARGV[6]) .. sub(job, 39, 43) .. proof
    fronts[former] = front
  end
  local state, flags = byte(job, 1, 2)
  if state == FAILING then failing = failing + 1 end
  job = front .. sub(job, front_end + 1)
  held[2 * at - 1], held[2 * at] = seq, job
  leases[2 * at - 1], leases[2 * at] = score, seq
  jobs[said + 1], jobs[said + 2] = job, bodies[at]
  said = said + 2
  if has(flags, HAS_DETAILS) then
    said = said + 1
    jobs[said] = call('HGET', OUTCOME, seq .. 'e')
  end
  if is_fed then tell(seq, job, PROCESSING) end
end
if count > 0 then
  many('HSET', STATE, held)
  many('ZADD', LEASES, leases)
  call('ZREMRANGEBYRANK', READY, 0, count - 1)
  if failing < count then call('HINCRBY', META, 'jobs0', failing - count) end
  if failing > 0 then call('HINCRBY', META, 'jobs2', -failing) end
  call('HINCRBY', META, 'jobs1', count)
-- @part publish
elseif now > clock and now > mark then
  -- While the clock is behind, claims carry time on for handles that do nothing else, and for those to come.
  call('SET', MARK, text(now))
end
return { now, clock, number, { paused and 1 or 0, next_due == NEVER and -1 or next_due, table.concat(seqs), jobs } }
