-- Part: the hints for subscribers, published once per script, after its writes (they let I14 and
-- I15 be met soon).
--
-- A message about jobs is the queue's number, then for each change: state (255: gone), revision,
-- seq, and the id with its length. On the channel of waiters a small result follows with its
-- length, so that they need not read: then COMPLETED_WITH stands for the state.
local GONE = 255
local told, ended, is_woken

-- Whether subscribers are told of a change to `state`; a job that waits, or that is gone, wakes
-- nobody by this alone.
local function is_told(state, flags)
  return is_fed or has(flags, AWAITED) and not is_waiting(state) and state ~= PROCESSING
end

-- Notes that a job changed to `state` or is gone; `job` is its record after the change, or its last
-- one. Where it may be Completed, the script has part/tail.lua too.
local function tell(seq, job, state)
  local at, flags = id_at(job), byte(job, 2)
  local change = sub(job, 5, 10) .. seq .. sub(job, at, at + byte(job, at))
  if is_fed then
    told = told or {}
    told[#told + 1] = pack('>B', state) .. change
  end
  if has(flags, AWAITED) and not is_waiting(state) and state ~= PROCESSING then
    ended = ended or {}
    if state == COMPLETED and has(flags, RESULT_WITHIN) then
      local result = sub(job, result_at(job, at))
      ended[#ended + 1] = pack('>B', COMPLETED_WITH) .. change .. pack('>B', #result) .. result
    else
      ended[#ended + 1] = pack('>B', state) .. change
    end
  end
end
