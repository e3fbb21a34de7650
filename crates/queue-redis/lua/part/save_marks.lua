-- Part: writes beside the queue's pause which marks there are (part/queue.lua), as `keeps_gates`
-- and `keeps_partitions` say.
local marks = (has_kinds and ' kinds' or '') .. (keeps_gates and ' gates' or '') .. (keeps_partitions and ' partitions' or '')
if paused or marks ~= '' then
  call('HSET', META, 'paused', text(paused_until) .. marks)
else
  call('HDEL', META, 'paused')
end
