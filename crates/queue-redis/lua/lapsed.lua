#!lua flags=no-writes
-- Reads metadata of jobs whose lease has lapsed, the longest lapsed first.
--
-- In: ARGV 3 and 4 the lapse and the seq (six bytes) behind which to begin, 5 limit.
-- Out: now, clock, number, whether there are more, states.
-- Guard: lease end <= now (I15).
-- Cost: O(log n), and one step for each lease of the cursor's millisecond.
-- @part queue
-- @part state
local PAGE_MAX = 1000
local from, behind, limit = ARGV[3], read('>I6', ARGV[4]), math.min(tonumber(ARGV[5]), PAGE_MAX)
local seqs, skipped = {}, 0
-- Leases that lapse together are ordered by seq; those of the cursor's millisecond up to its seq were on an earlier page.
-- Seqs are compared as numbers: as text, their order would be up to the server's locale, unlike that of the index.
repeat
  local chunk = call('ZRANGEBYSCORE', LEASES, from, text(now), 'WITHSCORES', 'LIMIT', skipped, PAGE_MAX)
  for at = 1, #chunk, 2 do
    if chunk[at + 1] ~= from or read('>I6', chunk[at]) > behind then seqs[#seqs + 1] = chunk[at] end
  end
  skipped = skipped + PAGE_MAX
until #chunk < 2 * PAGE_MAX or #seqs > limit
local has_more = #seqs > limit
for at = #seqs, limit + 1, -1 do
  seqs[at] = nil
end
local found = fetch('HMGET', STATE, seqs)
for at = 1, #found do
  if not found[at] then return redis.error_reply('CORRUPT an entry of the index of leases has no record') end
  found[at] = seqs[at] .. found[at]
end
return { now, clock, number, has_more and 1 or 0, found }
