-- Part: jobs whose gate timed out enter READY. `timed_out` are their members of LISTED, which leave
-- it with what the script writes last: part/write.lua says why. Nothing moves where nothing is
-- wanted.
--
-- Cost: O(log n), and as many entries as time out.
local bound = GATED .. pack('>I6', now + 1)
local ahead = call('ZRANGEBYLEX', LISTED, '[' .. (wanted > 0 and bound or GATED), '(' .. BEHIND_GATED, 'LIMIT', 0, 1)[1]
local timeout = ahead and read('>I6', ahead, 2) or NEVER
if timeout - now <= FAR then next_due = math.min(next_due, timeout) end
if wanted > 0 then
  timed_out = call('ZRANGEBYLEX', LISTED, '[' .. GATED, '(' .. bound, 'LIMIT', 0, PROMOTE_MAX)
  local entries = {}
  for at = 1, #timed_out do
    local member = timed_out[at]
    entries[2 * at - 1], entries[2 * at] = '0', sub(member, 14) .. sub(member, 2, 13)
  end
  many('ZADD', READY, entries)
  keeps_gates = ahead ~= nil or #timed_out == PROMOTE_MAX
  if #timed_out == PROMOTE_MAX then next_due = math.min(next_due, now) end
end
