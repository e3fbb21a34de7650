-- Part: writes `kept`, the kinds that are paused or have a line, and beside the queue's pause
-- whether there are some, whether there may be jobs behind gates, as `keeps_gates` says, and
-- whether there are partitions or limits, which does not change here (part/queue.lua).
local names = {}
for at, kind in ipairs(kept) do
  names[at] = pack('>B', #kind.name) .. kind.name .. pack('>I6', kind.ends)
end
local marks = (keeps_gates and ' gates' or '') .. (has_partitions and ' partitions' or '')
if #kept > 0 then
  call('HSET', META, 'kinds', table.concat(names), 'paused', text(paused_until) .. ' kinds' .. marks)
elseif paused or marks ~= '' then
  call('HSET', META, 'paused', text(paused_until) .. marks)
  call('HDEL', META, 'kinds')
else
  call('HDEL', META, 'kinds', 'paused')
end
