#!lua flags=no-writes
-- Lists the jobs that wait for their time, the soonest first.
--
-- In, out and guard: part/page.lua; a place is run_at and seq.
-- Cost: O(log n), and as there.
-- @part queue
-- @part state
-- @part tail
-- @part page
-- @part ranks
local from = call('ZCOUNT', LATER, '-inf', text(now))
if after then from = math.max(from, rank_behind(LATER, read('>I6I6', after))) end
return page_of(by_rank(LATER, from, call('ZCOUNT', LATER, '-inf', '+inf')))
