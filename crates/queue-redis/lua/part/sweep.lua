-- Part, behind part/lanes.lua: looks at partitions for which the limit of each partition is new, at
-- most so many in a script; the next claims, and the caller that set it, look at the others. The
-- limit itself holds at once: a claim looks at each partition that it takes a job of.
local SWEEP_MAX = 1000
local is_swept = true
if rules[3] then
  local from = rules[3] == '' and '[' .. PARTITION or '(' .. PARTITION .. rules[3]
  local found = call('ZRANGEBYLEX', LISTED, from, '(' .. OWN_LIMIT, 'LIMIT', 0, SWEEP_MAX)
  for at = 1, #found do
    change_of(sub(found[at], 2)).is_moved = true
  end
  is_swept = #found < SWEEP_MAX
  if is_swept then
    call('HDEL', META, 'sweep')
  else
    call('HSET', META, 'sweep', sub(found[SWEEP_MAX], 2))
  end
end
