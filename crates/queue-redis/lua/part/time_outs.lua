-- Part: jobs whose gate timed out enter READY. `timed_out` are their members of LISTED, which leave
-- it with what the script writes last: part/write.lua says why. Nothing moves where nothing is
-- wanted, unless it is of a partition that may be full. The member of a job of a partition goes on
-- with the key.
--
-- Cost: O(log n), and as many entries as time out.
local bound, moves = GATED .. pack('>I6', now + 1), wanted > 0 or has_partitions
local ahead = call('ZRANGEBYLEX', LISTED, '[' .. (moves and bound or GATED), '(' .. BEHIND_GATED, 'LIMIT', 0, 1)[1]
local timeout = ahead and read('>I6', ahead, 2) or NEVER
if timeout - now <= FAR then next_due = math.min(next_due, timeout) end
if moves then
  timed_out = call('ZRANGEBYLEX', LISTED, '[' .. GATED, '(' .. bound, 'LIMIT', 0, promote_max)
  local entries, in_turn = {}, {}
  for at = 1, #timed_out do
    local member = timed_out[at]
    local place = sub(member, 14, 15) .. sub(member, 2, 13)
    if #member == 1 + PLACE_AND_SEQ then
      entries[#entries + 1], entries[#entries + 2] = '0', place
    else
      enter_partition(in_turn, sub(member, 2 + PLACE_AND_SEQ), place)
    end
  end
  many('ZADD', READY, entries)
  many('ZADD', LISTED, in_turn)
  keeps_gates = ahead ~= nil or #timed_out == promote_max
  if #timed_out == promote_max then next_due = math.min(next_due, now) end
end
