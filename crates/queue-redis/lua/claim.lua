#!lua flags=allow-oom
-- Leases due jobs, in order: lowest priority, earliest run_at, lowest seq.
--
-- In: ARGV 3 limit, 4 lease in ms, 5 token, 6 worker.
-- Out: now, number, { paused, next_due or -1, the seqs as one string, { for each job state, payload, error details if it has
-- some } }.
-- Guard: waiting and due, and the queue is not paused. Keeps I3, I11, I12, I20, I24. Allowed on a full server, so that it drains.
-- Cost: O(log n) for each job in READY and LEASES; the jobs that became due since the last claim are moved first.
-- @part queue
-- @part state
-- @part hints
-- @part lease
if count > 0 then
-- @part publish
end
return { now, number, claimed }
