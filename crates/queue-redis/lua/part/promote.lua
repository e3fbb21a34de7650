-- Part: due jobs leave LATER for READY. Their order there is their own, so portions do not matter.

-- Scheduled jobs that one script moves; the rest follows with the next one.
local PROMOTE_MAX = 10000

-- Moves what is due, and answers how many that were. LATER may be empty behind it, and is not read
-- again: part/write.lua says why.
local function promote()
  local due = call('ZRANGEBYSCORE', LATER, '-inf', text(now), 'LIMIT', 0, PROMOTE_MAX)
  local entries = {}
  for at = 1, #due do
    entries[2 * at - 1], entries[2 * at] = '0', sub(due[at], 7) .. sub(due[at], 1, 6)
  end
  many('ZADD', READY, entries)
  if #due > 0 then call('ZREMRANGEBYRANK', LATER, 0, #due - 1) end
  return #due
end
