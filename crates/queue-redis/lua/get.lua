#!lua flags=no-writes
-- Reads jobs by id, all as they were at one moment.
--
-- In: ARGV 3 '1' for the large parts too, 4.. ids.
-- Out: now, number, { for each id false, or its seq and state; with the large parts: payload, result or false if it is
-- not within the state, details or false }.
-- Guard: a record past its purge time is absent (I20). Keeps I13.
-- Cost: one look for the id, one for each part.
-- @part queue
-- @part state
local is_full = ARGV[3] == '1'
local ids = {}
for at = 4, #ARGV do
  ids[at - 3] = ARGV[at]
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
for at = 1, #holders do
  local seq = holders[at]
  local job = seq and found[seq] or false
  if job and is_purged(job) then job = false end
  said = said + 1
  reply[said] = job and seq .. job
  if job and is_full then
    local flags = byte(job, 2)
    reply[said + 1] = call('HGET', PAYLOAD, seq)
    reply[said + 2] = has(flags, HAS_RESULT) and not has(flags, RESULT_WITHIN) and call('HGET', OUTCOME, seq)
    reply[said + 3] = has(flags, HAS_DETAILS) and call('HGET', OUTCOME, seq .. 'e')
    said = said + 3
  end
end
return { now, number, reply }
