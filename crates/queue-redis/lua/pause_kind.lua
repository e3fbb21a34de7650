#!lua flags=allow-oom
-- Stops or resumes claims of one kind.
--
-- In: ARGV 3 the kind, 4 the number of its pause. Out: now, clock, number, 1 if that would be one
-- kind too many, else 0.
-- Guard: a queue has at most KINDS_MAX kinds that are paused or have a line. A resumed one keeps
-- its line until claims have taken it. Cost: a look at the line of each kind.
-- @part queue
-- @part state
-- @part hints
-- @part kinds
local KINDS_MAX = 32
local paused_kind = { name = ARGV[3], ends = tonumber(ARGV[4]), line = LINE .. ARGV[3] .. LINE_END, behind = '(' .. LINE .. ARGV[3] .. BEHIND_LINE }

local function has_line(kind)
  return #call('ZRANGEBYLEX', LISTED, '[' .. kind.line, kind.behind, 'LIMIT', 0, 1) > 0
end

local kept, keeps_gates = {}, has_gates
for _, kind in ipairs(kinds or {}) do
  if kind.name ~= paused_kind.name and (kind.is_on or has_line(kind)) then kept[#kept + 1] = kind end
end
if paused_kind.ends > now then
  if #kept >= KINDS_MAX then return { now, clock, number, 1 } end
  kept[#kept + 1] = paused_kind
elseif has_line(paused_kind) then
  kept[#kept + 1] = paused_kind
end
if kinds or #kept > 0 then
-- @part save_kinds
end
-- Workers that hold jobs ready want to hear of a pause too.
is_woken = true
-- @part publish
return { now, clock, number, 0 }
