-- Part of claims of a queue with paused kinds: takes what is to be claimed off the front of READY,
-- and of the open lines, which it brings back as far as the claims may want them. What is of a
-- paused kind in front of that is to leave for the line of its kind.
--
-- Cost: as many looks as jobs are claimed and set aside, one for each kind, and for each open one
-- as many entries as jobs are wanted. Each job leaves its line once for each time that it entered.
local PORTION_MAX = 500
local stopped, entering = {}, {}
aside, leaving, brought_back, kept = {}, {}, {}, {}
for _, kind in ipairs(kinds) do
  stopped[kind.name] = kind.is_on and kind
  local most = kind.is_on and 0 or wanted
  -- Nobody knows when jobs behind a pause without an end are claimed.
  local line = kind.ends == NEVER and {} or call('ZRANGEBYLEX', LISTED, '[' .. kind.line, kind.behind, 'LIMIT', 0, most + 1)
  for at = 1, math.min(#line, most) do
    brought_back[#brought_back + 1] = line[at]
    entering[#entering + 1], entering[#entering + 2] = '0', sub(line[at], #kind.line + 1)
  end
  if #line > most then next_due = math.min(next_due, kind.is_on and kind.ends or read('>I6', line[most + 1], #kind.line + 3)) end
  if kind.is_on or #line > most then kept[#kept + 1] = kind end
end
if wanted == 0 then
  next_due = math.min(next_due, earliest(LATER, '-inf'), ready_since(0))
else
  next_due = math.min(next_due, earliest(LATER, '(' .. text(now)))
  if promote() == promote_max then next_due = math.min(next_due, now) end
  many('ZADD', READY, entering)
  found = {}
  local from, size, is_done = 0, math.min(wanted + 1, PORTION_MAX), false
  repeat
    local front, named = call('ZRANGE', READY, from, from + size - 1), {}
    for at = 1, #front do
      named[at] = sub(front[at], 9)
    end
    local jobs = fetch('HMGET', STATE, named)
    for at = 1, #front do
      local job = jobs[at]
      if not job then return redis.error_reply('CORRUPT an entry of the ready index has no record') end
      local name = kind_of(job)
      if #members == wanted or stopped[name] and #leaving == SET_ASIDE_MAX then
        next_due, is_done = math.min(next_due, (read('>I6', front[at], 3))), true
        break
      elseif stopped[name] then
        next_due = math.min(next_due, stopped[name].ends)
        leaving[#leaving + 1] = front[at]
        aside[#aside + 1], aside[#aside + 2] = '0', LINE .. name .. LINE_END .. front[at]
      else
        members[#members + 1], found[#members + 1] = front[at], job
      end
    end
    from, size = from + size, math.min(2 * size, PORTION_MAX)
  until is_done or #front == 0
end
