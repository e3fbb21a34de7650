#!lua flags=allow-oom
-- Asks for every change of a queue to be published for a while.
--
-- In: ARGV 3 for how many ms of the server's own time. Out: now, clock, number.
-- Guard: a longer request of somebody else stands. Cost: O(1).
-- @part queue
local ends = server_now + tonumber(ARGV[3])
if ends > (tonumber(meta[4]) or 0) then call('HSET', META, 'feed', text(ends)) end
return { now, clock, number }
