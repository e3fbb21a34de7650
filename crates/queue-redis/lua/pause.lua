#!lua flags=allow-oom
-- Stops or resumes claims of a queue.
--
-- In: ARGV 3 the number of the pause, '0' to go on. Out: now, clock, number.
-- Guard: none. Cost: O(1).
-- @part queue
-- @part state
-- @part hints
if has_marks then
  call('HSET', META, 'paused', ARGV[3] .. string.match(meta[3], ' .*'))
elseif ARGV[3] ~= '0' then
  call('HSET', META, 'paused', ARGV[3])
else
  call('HDEL', META, 'paused')
end
-- Workers that hold jobs ready want to hear of a pause too.
is_woken = true
-- @part publish
return { now, clock, number }
