#!lua flags=no-writes
-- Lists the jobs that are leased, by the time of their claim.
--
-- In and out: part/page.lua; ARGV 14 and 15 from when and until when they were claimed; a place is
-- claimed_at and seq. Guard: none.
-- Cost: one look at each leased job of the queue, and as there. There is no index of claims by
-- time, since every claim would pay for it, and there are as many leases as slots of workers.
-- @part queue
-- @part state
-- @part tail
-- @part page
local claimed_from, claimed_until = tonumber(ARGV[14]), tonumber(ARGV[15])
local after_time, after_seq = 0, 0
if after then
  after_time, after_seq = read('>I6I6', after)
end

-- Whether a job stands behind the place where the page before ended.
local function is_ahead(time, seq)
  if not after then return true end
  if time == after_time then return seq ~= after_seq and seq > after_seq ~= is_reversed end
  return time > after_time ~= is_reversed
end

-- Sorted as numbers: the order of texts is up to the server's locale. One claim leases many at one
-- time.
local times, leased_at = {}, {}
local leases = call('ZRANGE', LEASES, 0, -1)
for from = 1, #leases, PORTION_MAX do
  local found = call('HMGET', STATE, unpack(leases, from, math.min(from + PORTION_MAX - 1, #leases)))
  for at = 1, #found do
    if not found[at] then return redis.error_reply('CORRUPT an entry of an index has no record') end
    local time, seq = read('>I6', found[at], 37), read('>I6', leases[from + at - 1])
    if claimed_from <= time and time < claimed_until and is_ahead(time, seq) then
      local seqs = leased_at[time]
      if not seqs then
        seqs = {}
        times[#times + 1], leased_at[time] = time, seqs
      end
      seqs[#seqs + 1] = seq
    end
  end
end

local function more(one, other) return one > other end
local order = is_reversed and more or nil
table.sort(times, order)
local turn, taken = 1, 0
return page_of(function(size)
  local seqs, places = {}, {}
  while #seqs < size and times[turn] do
    local here = leased_at[times[turn]]
    if taken == 0 then table.sort(here, order) end
    local time = pack('>I6', times[turn])
    for at = taken + 1, math.min(#here, taken + size - #seqs) do
      local seq = pack('>I6', here[at])
      seqs[#seqs + 1], places[#places + 1] = seq, time .. seq
      taken = at
    end
    if taken == #here then turn, taken = turn + 1, 0 end
  end
  return seqs, places
end)
