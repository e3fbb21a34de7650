#!lua flags=allow-oom
-- Removes records, with their ids, results and errors.
--
-- In: ARGV 3 which ('expired', 'finished', 'everything'), 4 limit, 5 for 'finished' the age in ms,
-- 6 its first rank to look at.
-- Out: now, clock, number, how many were removed, for 'finished' the rank to go on with or -1.
-- Guard: purge_at <= now; or terminal and finished at least that long ago; or none. Keeps I20.
-- Cost: O(log n) for each record; 'finished' also reads terminal records that are too young, at
-- most LOOK_MAX per call.
-- @part queue
-- @part state
-- @part tail
-- @part hints
-- @part jobs
local LOOK_MAX = 1000
local which, limit, age, rank = ARGV[3], math.min(tonumber(ARGV[4]), LOOK_MAX), tonumber(ARGV[5]), tonumber(ARGV[6])

-- The seqs of the first records there are.
local function first_records()
  local seqs = {}
  for _, block in ipairs(call('ZRANGE', BLOCKS, 0, 0)) do
    for seq = tonumber(block) * 1024, tonumber(block) * 1024 + 1023 do
      seqs[#seqs + 1] = pack('>I6', seq)
    end
  end
  return seqs
end

local seqs
if which == 'expired' then
  seqs = call('ZRANGEBYSCORE', DONE, '-inf', text(now), 'LIMIT', 0, limit)
elseif which == 'finished' then
  seqs = call('ZRANGE', DONE, rank, rank + LOOK_MAX - 1)
else
  seqs = first_records()
end
load(seqs)
local removed, kept = 0, 0
for _, seq in ipairs(seqs) do
  local job = present[seq]
  if removed == limit then break end
  if job and (which ~= 'finished' or read('>I6', job, 25) <= now - age) then
    remove(seq, job, id_of(job), false)
    removed = removed + 1
  elseif job then
    kept = kept + 1
  end
end
if removed > 0 then
-- @part write
-- @part publish
end
return { now, clock, number, removed, #seqs == LOOK_MAX and rank + kept or -1 }
