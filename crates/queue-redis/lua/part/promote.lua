-- Part: due jobs leave LATER for READY. Their order there is their own, so portions do not matter.

-- Scheduled jobs that one script moves; the rest follows with the next one. Fewer where they may be
-- of partitions, each of which is looked at.
local PROMOTE_MAX, PROMOTE_IN_TURN_MAX = 10000, 1000
local promote_max = has_partitions and PROMOTE_IN_TURN_MAX or PROMOTE_MAX

-- Moves what is due, and answers how many that were. LATER may be empty behind it, and is not read
-- again: part/write.lua says why. The member of a job of a partition goes on with the key.
local function promote()
  local due = call('ZRANGEBYSCORE', LATER, '-inf', text(now), 'LIMIT', 0, promote_max)
  local entries, count, in_turn = {}, 0, nil
  for at = 1, #due do
    local member = due[at]
    if #member == PLACE_AND_SEQ then
      entries[count + 1], entries[count + 2] = '0', sub(member, 7) .. sub(member, 1, 6)
      count = count + 2
    else
      in_turn = in_turn or {}
      enter_partition(in_turn, sub(member, PLACE_AND_SEQ + 1), sub(member, 7, PLACE_AND_SEQ) .. sub(member, 1, 6))
    end
  end
  many('ZADD', READY, entries)
  many('ZADD', LISTED, in_turn)
  if #due > 0 then call('ZREMRANGEBYRANK', LATER, 0, #due - 1) end
  return #due
end
