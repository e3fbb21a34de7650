#!lua flags=allow-oom
-- Leases due jobs, in order: lowest priority, earliest run_at, lowest seq.
--
-- In: ARGV 3 limit, 4 lease in ms, 5 token, 6 worker.
-- Out: now, number, { paused, next_due or -1, { for each job seq and state, payload, error details if it has some } }.
-- Guard: waiting and due, and the queue is not paused. Keeps I3, I11, I12, I20, I24. Allowed on a full server, so that it drains.
-- Cost: O(log n) for each job in READY and LEASES; the jobs that became due since the last claim are moved first.
-- @part queue
-- @part state
-- @part hints
-- @part lease
local claimed, wrong = claim(tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5], ARGV[6])
if wrong then return redis.error_reply('CORRUPT ' .. wrong) end
publish()
return { now, number, claimed }
