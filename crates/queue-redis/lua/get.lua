#!lua flags=no-writes
-- Reads jobs by id, all as they were at one moment.
--
-- In: ARGV 3 how many bytes of large parts, '' for none; 4.. ids.
-- Out: now, clock, number, { for each id false, or its seq and state; if large parts are asked for:
-- payload, or false if there is no room for them; result or false if it is not within the state;
-- details or false; where the state says so end signals }.
-- Guard: a record past its purge time is absent (I20). Keeps I13.
-- Cost: one look for the id, one for each part.
-- @part queue
-- @part state
-- @part tail
-- @part room
local is_full, fits = ARGV[3] ~= '', room_of(tonumber(ARGV[3]) or 0)
local has_room = true
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
    local flags, payload, result, details, bytes = byte(job, 2), false, false, false, payload_bytes(job)
    if has_room then
      result = has(flags, HAS_RESULT) and not has(flags, RESULT_WITHIN) and call('HGET', OUTCOME, seq)
      details = has(flags, HAS_DETAILS) and call('HGET', OUTCOME, seq .. 'e')
      if result then bytes = bytes + content_bytes(result) end
      if has(flags, RESULT_WITHIN) then bytes = bytes + content_bytes(sub(job, result_at(job, id_at(job)))) end
      if details then bytes = bytes + #details end
      has_room = fits(bytes)
    end
    if has_room then
      payload = call('HGET', PAYLOAD, seq)
    else
      result, details = false, false
    end
    reply[said + 1], reply[said + 2], reply[said + 3] = payload, result, details
    said = said + 3
    if has(byte(job, 43), HAS_SIGNALS) then
      said = said + 1
      reply[said] = call('HGET', OUTCOME, seq .. 'r')
    end
  end
end
return { now, clock, number, reply }
