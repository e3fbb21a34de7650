#!lua
-- Stores jobs, all of them or none.
--
-- In: ARGV 3 the queue's number, 4 the count of jobs, 5 how many bytes of results, -1 for none;
-- from 6 on the jobs (part/admit.lua).
-- Out: now, clock, number, the last seq before; then for each job whose id is taken its place, and:
-- state, seq, and the result if Completed and if there is room for it; nothing for an orphan, of
-- which nothing is stored. All others have the next seqs, in their order.
-- Guard: the id is free (I9). Keeps I1, I9, I19, I20, I24. Without the flag allow-oom: a full
-- server refuses it before it begins.
-- Cost: O(log n) in READY or LATER for each job; reads nothing of jobs whose id is free. A single
-- plain job takes two thirds of the time that it takes the rest of the script.
-- @part queue
-- @part constants
-- @part single_enqueue
-- @part state
-- @part tail
-- @part hints
-- @part jobs
-- @part shapes
-- @part gates
-- @part admit
-- @part room
if number == 0 then number = tonumber(ARGV[3]) end
local held, admit = read_jobs(6, tonumber(ARGV[4]))
local fits, has_room = room_of(tonumber(ARGV[5])), true
load(held)

local reply = { now, clock, number, last_seq }
for at = 1, tonumber(ARGV[4]) do
  local holder, former = admit(at)
  if holder then
    -- The answer to the producer of a duplicate. A job of this very call has no record yet: it is
    -- Queued.
    local answer = holder == '' and '' or '\0' .. holder
    if former then
      local flags, result = byte(former, 2), ''
      if not has_room then
        -- A result that has no room is not read.
      elseif has(flags, RESULT_WITHIN) then
        result = sub(former, result_at(former, id_at(former)))
      elseif has(flags, HAS_RESULT) then
        result = call('HGET', OUTCOME, holder)
      end
      if result ~= '' and not fits(content_bytes(result)) then has_room, result = false, '' end
      answer = sub(former, 1, 1) .. holder .. result
    end
    reply[#reply + 1], reply[#reply + 2] = at, answer
  end
end
if seq_mark > last_seq then
-- @part write
-- @part publish
end
return reply
