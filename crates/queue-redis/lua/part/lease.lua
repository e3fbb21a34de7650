-- Part: leases due jobs (lifecycle::lease, in Lua; I3, I11, I12).

-- Scheduled jobs that one claim moves to the ready ones before it looks for its own; the rest follows with the next claim.
local PROMOTE_MAX = 10000

-- Due jobs leave LATER for READY. Their order there is their own, so portions do not matter. Answers whether some are left.
local function promote()
  local due = call('ZRANGEBYSCORE', LATER, '-inf', whole[now], 'LIMIT', 0, PROMOTE_MAX)
  if #due == 0 then return false end
  local entries = {}
  for at = 1, #due do
    entries[2 * at - 1], entries[2 * at] = '0', due[at]
  end
  many('ZADD', READY, entries)
  call('ZREMRANGEBYRANK', LATER, 0, #due - 1)
  return #due == PROMOTE_MAX
end

-- The earliest time in an index that is scored by time, from a bound on.
local function earliest(index, from)
  local score = call('ZRANGEBYSCORE', index, from, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  return score and tonumber(score) or NEVER
end

-- When the ready job that has so many before it became due.
local function ready_since(before)
  local member = call('ZRANGE', READY, before, before)[1]
  return member and read('>I6', member, 3) or NEVER
end

-- Leases the first of the ready jobs. Answers for each job its seq and state, its payload, and the details of its last failure if it has some; nil and what is wrong if an
-- index has an entry without a record, before anything was leased.
local function lease(members, expires_at, token, worker)
  local count = #members
  local seqs = {}
  for at = 1, count do
    seqs[at] = sub(members[at], 9)
  end
  local found = fetch('HMGET', STATE, seqs, 1, count)
  local bodies = fetch('HMGET', PAYLOAD, seqs, 1, count)
  local ends, holder = pack('>I6', expires_at), pack('>BB', 16, #worker)
  local proof, score = token .. worker, whole[expires_at]
  local reply, held, leases, failing, said = {}, {}, {}, 0, 0
  for at = 1, count do
    local seq, job = seqs[at], found[at]
    if not (job and bodies[at]) then return nil, 'an entry of the ready index has no record' end
    local state, flags = byte(job, 1, 2)
    local revision, epoch = read('>I6I6', job, 5)
    if state == FAILING then failing = failing + 1 end
    job = '\1' .. sub(job, 2, 3) .. pack('>BI6I6', 0, revision + 1, epoch + 1) .. sub(job, 17, 30) .. ends .. sub(job, 37, 50)
      .. holder .. sub(job, 53, 57) .. proof .. sub(job, REST + byte(job, 51))
    held[2 * at - 1], held[2 * at] = seq, job
    leases[2 * at - 1], leases[2 * at] = score, seq
    reply[said + 1], reply[said + 2] = seq .. job, bodies[at]
    said = said + 2
    if has(flags, HAS_DETAILS) then
      said = said + 1
      reply[said] = call('HGET', OUTCOME, seq .. 'e')
    end
    if is_fed then tell(seq, job, PROCESSING) end
  end
  many('HSET', STATE, held)
  many('ZADD', LEASES, leases)
  call('ZREMRANGEBYRANK', READY, 0, count - 1)
  if failing < count then call('HINCRBY', META, 'jobs0', failing - count) end
  if failing > 0 then call('HINCRBY', META, 'jobs2', -failing) end
  call('HINCRBY', META, 'jobs1', count)
  raise_mark()
  return reply
end

-- The whole verb. Whatever it answers about the future is read before anything is written (part/index.lua says why).
local function claim(limit, lease_ms, token, worker)
  local due = earliest(LEASES, '-inf')
  if paused or limit == 0 then
    due = math.min(due, earliest(LATER, '-inf'), ready_since(0))
    return { paused and 1 or 0, due == NEVER and -1 or due, {} }
  end
  due = math.min(due, earliest(LATER, '(' .. whole[now]))
  if promote() then due = math.min(due, now) end
  local members, expires_at = call('ZRANGE', READY, 0, limit - 1), now + lease_ms
  if #members == 0 then return { 0, due == NEVER and -1 or due, {} } end
  due = math.min(due, ready_since(#members), expires_at)
  local jobs, wrong = lease(members, expires_at, token, worker)
  if not jobs then return nil, wrong end
  return { 0, due, jobs }
end
