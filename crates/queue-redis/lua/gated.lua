#!lua flags=no-writes
-- Lists the jobs behind closed gates, by their time-out.
--
-- In, out and guard: part/page.lua; a place is time-out and seq. A job whose time-out has come is
-- none of them, though a claim has yet to move it.
-- Cost: O(log n), and as there.
-- @part queue
-- @part state
-- @part tail
-- @part page
local from, to = '[' .. GATED .. pack('>I6', now + 1), '(' .. BEHIND_GATED
if after then
  local time, seq = read('>I6I6', after)
  -- The next seq: behind it in a member stands the priority.
  if time > now then from = '[' .. GATED .. pack('>I6I6', time, seq + 1) end
end
return page_of(function(size)
  local members = call('ZRANGEBYLEX', LISTED, from, to, 'LIMIT', 0, size)
  local seqs, places = {}, {}
  for at = 1, #members do
    seqs[at], places[at] = sub(members[at], 8, 13), sub(members[at], 2, 13)
  end
  if #members > 0 then from = '(' .. members[#members] end
  return seqs, places
end)
