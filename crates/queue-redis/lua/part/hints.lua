-- Part: what subscribers shall hear, published once per script, after its writes (hints, so that I14 and I15 are met soon).
--
-- A message about jobs is the queue's number, then for each change: state (255: gone), revision, seq, and the id with its length.
local CHANNEL = sub(META, 1, -5)
local GONE = 255
local told, ended, is_woken = {}, {}, false

-- A job changed to `state`, or is gone; `job` is its record after the change, or the last one.
local function tell(seq, job, state)
  local is_end = has(byte(job, 2), AWAITED) and not is_waiting(state) and state ~= PROCESSING
  if is_waiting(state) then is_woken = true end
  if not (is_fed or is_end) then return end
  local id = id_of(job)
  local change = pack('>Bc6c6B', state, sub(job, 5, 10), seq, #id) .. id
  if is_fed then told[#told + 1] = change end
  if is_end then ended[#ended + 1] = change end
end

local function publish()
  local from = pack('>I3', number)
  if is_woken then call('PUBLISH', CHANNEL .. 'wake', '') end
  if #ended > 0 then call('PUBLISH', CHANNEL .. 'ends', from .. table.concat(ended)) end
  if #told > 0 then call('PUBLISH', CHANNEL .. 'feed', from .. table.concat(told)) end
end
