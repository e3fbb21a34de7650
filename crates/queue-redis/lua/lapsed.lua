#!lua flags=no-writes
-- Lists the jobs whose lease has lapsed, the longest lapsed first.
--
-- In and out: part/page.lua; a place is lapse and seq. Guard: lease end <= now (I15).
-- Cost: O(log n), and as there.
-- @part queue
-- @part state
-- @part tail
-- @part page
-- @part ranks
local from = after and rank_behind(LEASES, read('>I6I6', after)) or 0
return page_of(by_rank(LEASES, from, call('ZCOUNT', LEASES, '-inf', text(now))))
