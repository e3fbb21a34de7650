#!lua flags=no-writes
-- Reads jobs and the attempts that were charged to them, all as they were at one moment.
--
-- In: ARGV 3.. ids. Out: now, clock, number, { for each id false, or its seq and state, and its
-- attempts (apply.lua) or '' }.
-- Guard: a record past its purge time is absent (I20).
-- Cost: one look for the id, one for the job, one for its attempts if it has any.
-- @part queue
-- @part state
-- @part tail
local ids = {}
for at = 3, #ARGV do
  ids[at - 2] = ARGV[at]
end
local holders = fetch('HMGET', IDS, ids)
local seqs, found = {}, {}
for _, seq in ipairs(holders) do
  if seq then seqs[#seqs + 1] = seq end
end
for at, job in ipairs(fetch('HMGET', STATE, seqs)) do
  found[seqs[at]] = job
end

local reply, said = {}, 0
for at = 1, #ids do
  local seq = holders[at]
  local job = seq and found[seq] or false
  if job and is_purged(job) then job = false end
  said = said + 1
  reply[said] = job and seq .. job
  if job then
    local kept = has(byte(job, 43), HAS_ATTEMPTS) and call('HGET', OUTCOME, seq .. 'a')
    said = said + 1
    reply[said] = kept or ''
  end
end
return { now, clock, number, reply }
