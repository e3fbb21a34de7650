-- Part: writes `kept`, the kinds that are paused or have a line, and beside the queue's pause
-- whether there are some, and whether there may be jobs behind gates, as `keeps_gates` says
-- (part/queue.lua).
local names = {}
for at, kind in ipairs(kept) do
  names[at] = pack('>B', #kind.name) .. kind.name .. pack('>I6', kind.ends)
end
local gates_mark = keeps_gates and ' gates' or ''
if #kept > 0 then
  call('HSET', META, 'kinds', table.concat(names), 'paused', text(paused_until) .. ' kinds' .. gates_mark)
elseif paused or keeps_gates then
  call('HSET', META, 'paused', text(paused_until) .. gates_mark)
  call('HDEL', META, 'kinds')
else
  call('HDEL', META, 'kinds', 'paused')
end
