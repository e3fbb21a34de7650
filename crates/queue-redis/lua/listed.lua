#!lua flags=no-writes
-- Lists the jobs in one state of those that failed in some way or are cancelled, by the time at
-- which they came into it; or the jobs with a tag, by seq.
--
-- In, out and guard: part/page.lua; ARGV 14 what their members of LISTED begin with, 15 and 16 the
-- bounds between which they are. A place is what a member goes on with.
-- Cost: O(log n), and as there.
-- @part queue
-- @part state
-- @part tail
-- @part page
local beginning, low, high = ARGV[14], ARGV[15], ARGV[16]
local from, to = is_reversed and high or low, is_reversed and low or high
if after then from = '(' .. beginning .. after end
return page_of(function(size)
  local members
  if is_reversed then
    members = call('ZRANGE', LISTED, from, to, 'BYLEX', 'REV', 'LIMIT', 0, size)
  else
    members = call('ZRANGEBYLEX', LISTED, from, to, 'LIMIT', 0, size)
  end
  local seqs, places = {}, {}
  for at = 1, #members do
    seqs[at], places[at] = sub(members[at], -6), sub(members[at], #beginning + 1)
  end
  if #members > 0 then from = '(' .. members[#members] end
  return seqs, places
end)
