-- Part: one claim that finds one job that never failed, as a worker at rest claims it. The rest of
-- the script says the same for any claims and jobs; for one of each it spends most of its time on
-- making its functions and tables.
--
-- Whatever the guard refuses is left to the rest of the script, with nothing written.
local not_after = tonumber(ARGV[7])
if #ARGV == 9 and not paused and not has_marks and not is_fed and tonumber(ARGV[3]) > 0 and tonumber(ARGV[8]) >= 0 and not (not_after and now > not_after) then
  local ready = call('ZRANGE', READY, 0, 1)
  local later = #ready == 1 and call('ZRANGEBYSCORE', LATER, '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  local nothing_came_due = later == nil or later and tonumber(later) > now
  local seq = nothing_came_due and sub(ready[1], 9)
  local job = seq and call('HGET', STATE, seq)
  local body = job and byte(job) == QUEUED and byte(job, 2) % (2 * HAS_DETAILS) < HAS_DETAILS and byte(job, 43) < HAS_SIGNALS and call('HGET', PAYLOAD, seq)
  if body then
    local worker, expires_at = ARGV[6], now + tonumber(ARGV[4])
    local ends, claimed_at, worker_bytes, proof = pack('>I6', expires_at), pack('>I6', now), #worker, ARGV[5] .. worker
-- @part leased_front
    local leased = front .. sub(job, front_end + 1)
    local lapse = call('ZRANGEBYSCORE', LEASES, '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    call('HSET', STATE, seq, leased)
    call('ZADD', LEASES, text(expires_at), seq)
    call('ZREM', READY, ready[1])
    call('HINCRBY', META, 'jobs' .. QUEUED, -1)
    call('HINCRBY', META, 'jobs' .. PROCESSING, 1)
    local is_woken, ended, told = nil, nil, nil
-- @part publish
    local next_due = math.min(expires_at, tonumber(lapse or NEVER), tonumber(later or NEVER))
    return { now, clock, number, { 0, next_due, seq, { leased, body } } }
  end
end
