#!lua flags=no-writes
-- Reads a job and the attempts that were charged to it, both as they were at one moment.
--
-- In: ARGV 3 the id. Out: now, clock, number, false or its seq and state, its attempts (apply.lua)
-- or ''.
-- Guard: a record past its purge time is absent (I20).
-- Cost: one look for each.
-- @part queue
-- @part state
-- @part terms
local seq = call('HGET', IDS, ARGV[3])
local job = seq and call('HGET', STATE, seq)
if not job or is_purged(job) then return { now, clock, number, false, '' } end
local kept = has(byte(job, 43), HAS_ATTEMPTS) and call('HGET', OUTCOME, seq .. 'a')
return { now, clock, number, seq .. job, kept or '' }
