#!lua flags=no-writes
-- Reads metadata of the jobs that are leased under a token, in the order of their seq.
--
-- In: ARGV 3 the seq behind which to begin, 4 limit, 5 the token.
-- Out: now, clock, number, the seq behind which to go on or -1, states.
-- Guard: none: lapsed leases are held until somebody ends them (I3).
-- Cost: one look at each lease of the queue, and at the records of at most LOOK_MAX of them. There is no index of tokens, since
-- every claim would pay for it, and only those whose answer was lost ask.
-- @part queue
-- @part state
local LOOK_MAX = 4000
local after, limit, token = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]

-- As numbers: the order of texts is up to the server's locale.
local behind = {}
for _, seq in ipairs(call('ZRANGE', LEASES, 0, -1)) do
  local count = read('>I6', seq)
  if count > after then behind[#behind + 1] = count end
end
table.sort(behind)
local seqs, found, last = {}, {}, after
for at = 1, math.min(#behind, LOOK_MAX) do
  seqs[at] = pack('>I6', behind[at])
end
for at, job in ipairs(fetch('HMGET', STATE, seqs)) do
  if not job then return redis.error_reply('CORRUPT an entry of the index of leases has no record') end
  if byte(job, 37) == 16 and sub(job, 44, 59) == token then
    -- There is a further one, so that the page before it is not the last.
    if #found == limit then return { now, clock, number, text(last), found } end
    found[#found + 1] = seqs[at] .. job
  end
  last = behind[at]
end
return { now, clock, number, #behind > LOOK_MAX and text(last) or '-1', found }
