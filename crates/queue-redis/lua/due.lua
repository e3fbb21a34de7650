#!lua flags=allow-oom
-- Lists the jobs that could be claimed now, in the order of claims (I12).
--
-- In, out and guard: part/page.lua; a place is priority, run_at, seq. Where more became due than
-- one script moves, it answers now, clock and number alone, and is to be called again.
-- Cost: O(log n), and as there; the jobs that became due since the last claim are moved first, as a
-- claim does, and those whose gate timed out. With paused kinds or partitions as part/merged.lua
-- says.
-- @part queue
-- @part state
-- @part tail
-- @part hints
-- @part page
-- @part come_due
if is_to_go_on then return { now, clock, number } end
if has_kinds or has_partitions then
-- @part kinds
-- @part merged
  return page_of(merged)
end
local from = after and '(' .. after or '-'
return page_of(function(size)
  local places, seqs = call('ZRANGEBYLEX', READY, from, '+', 'LIMIT', 0, size), {}
  for at = 1, #places do
    seqs[at] = sub(places[at], 9)
  end
  if #places > 0 then from = '(' .. places[#places] end
  return seqs, places
end)
