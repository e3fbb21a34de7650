#!lua
-- Stores jobs, all of them or none.
--
-- In: ARGV 3 the queue's number, 4 the count of jobs; from 5 on the jobs (part/admit.lua).
-- Out: now, number; for each job its seq as a number, or for a duplicate a string: state, seq, and the result if Completed.
-- Guard: the id is free (I9). Keeps I1, I9, I19, I20, I24. Without the flag allow-oom: a full server refuses it before it begins.
-- Cost: O(log n) in READY or LATER for each job; reads nothing of jobs whose id is free.
-- @part queue
-- @part state
-- @part hints
-- @part index
-- @part jobs
-- @part shapes
-- @part admit
if number == 0 then number = tonumber(ARGV[3]) end
local count = tonumber(ARGV[4])
local held, admit_job = read_jobs(5, count)
load(held)

-- What the producer of a duplicate is told. A job of this very call has no record yet: it is Queued.
local function duplicate(seq)
  local job = present[seq]
  if not job then return '\0' .. seq end
  local result = has(byte(job, 2), HAS_RESULT) and call('HGET', OUTCOME, seq) or ''
  return sub(job, 1, 1) .. seq .. result
end

local reply = { now, number }
for at = 1, count do
  local begun, holder = admit_job(at)
  reply[at + 2] = begun or duplicate(holder)
end
if seq_mark > last_seq then flush() end
return reply
