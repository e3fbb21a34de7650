-- Part: the hints for subscribers, published once per script, after its writes (they let I14 and
-- I15 be met soon).
--
-- A message about jobs is the queue's number, then for each change: state (255: gone), revision,
-- seq, and the id with its length.
local GONE = 255
local told, ended, is_woken

-- Whether subscribers are told of a change to `state`; a job that waits, or that is gone, wakes
-- nobody by this alone.
local function is_told(state, flags)
  return is_fed or has(flags, AWAITED) and not is_waiting(state) and state ~= PROCESSING
end

-- Notes that a job changed to `state` or is gone; `job` is its record after the change, or its last
-- one.
local function tell(seq, job, state)
  local at = id_at(job)
  local change = pack('>B', state) .. sub(job, 5, 10) .. seq .. sub(job, at, at + byte(job, at))
  if is_fed then
    told = told or {}
    told[#told + 1] = change
  end
  if has(byte(job, 2), AWAITED) and not is_waiting(state) and state ~= PROCESSING then
    ended = ended or {}
    ended[#ended + 1] = change
  end
end
