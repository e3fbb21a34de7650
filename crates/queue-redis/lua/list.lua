#!lua flags=no-writes
-- Reads metadata of jobs in the order of their seq, a bounded number of records per call.
--
-- In: ARGV 3 the seq behind which to begin, 4 limit, 5 states as a sum of 2 ^ state, 6 worker or '', 7 kind or ''.
-- Out: now, clock, number, the seq behind which to go on or -1, states.
-- Guard: a record past its purge time is absent (I20).
-- Cost: at most BLOCKS_MAX blocks of 1,024 records are looked at, whatever is in them.
-- @part queue
-- @part state
local BLOCKS_MAX = 4
local after, limit, states, worker, kind = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7]

local function matches(job)
  if is_purged(job) or not has(states, 2 ^ byte(job, 1)) then return false end
  local token_length, worker_length = byte(job, 37, 38)
  if worker ~= '' and sub(job, 44 + token_length, 43 + token_length + worker_length) ~= worker then return false end
  if kind == '' then return true end
  local at = id_at(job)
  local kind_at = at + 1 + byte(job, at)
  return sub(job, kind_at + 1, kind_at + byte(job, kind_at)) == kind
end

local blocks = call('ZRANGEBYSCORE', BLOCKS, math.floor((after + 1) / 1024), '+inf', 'LIMIT', 0, BLOCKS_MAX + 1)
local found, last = {}, after
for at = 1, math.min(#blocks, BLOCKS_MAX) do
  local from = math.max(after + 1, tonumber(blocks[at]) * 1024)
  local to = tonumber(blocks[at]) * 1024 + 1023
  local seqs = {}
  for seq = from, to do
    seqs[#seqs + 1] = pack('>I6', seq)
  end
  for offset, job in ipairs(fetch('HMGET', STATE, seqs)) do
    if job and matches(job) then
      -- There is a further one, so that the page before it is not the last.
      if #found == limit then return { now, clock, number, text(last), found } end
      found[#found + 1] = seqs[offset] .. job
      last = from + offset - 1
    end
  end
  last = to
end
return { now, clock, number, #blocks > BLOCKS_MAX and text(last) or '-1', found }
