-- Part: writes `kept`, the kinds that are paused or have a line, and beside the queue's pause
-- whether there are some (part/queue.lua).
local names = {}
for at, kind in ipairs(kept) do
  names[at] = pack('>B', #kind.name) .. kind.name .. pack('>I6', kind.ends)
end
if #kept > 0 then
  call('HSET', META, 'kinds', table.concat(names), 'paused', text(paused_until) .. ' kinds')
elseif paused then
  call('HSET', META, 'paused', text(paused_until))
  call('HDEL', META, 'kinds')
else
  call('HDEL', META, 'kinds', 'paused')
end
