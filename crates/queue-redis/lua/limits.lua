#!lua flags=no-writes
-- Reads the limits of a queue.
--
-- In: nothing more. Out: now, clock, number, { for each in the order of their scopes the scope, the
-- limit and the key, as set_limits.lua takes them }.
-- Guard: none. Cost: O(limits).
-- @part queue
-- @part constants
local reply = {}
if has_partitions then
-- @part lanes
  if each then reply[1] = pack('>B', 0) .. limit_bytes(each) end
  if unpartitioned then reply[#reply + 1] = pack('>B', 1) .. limit_bytes(unpartitioned) end
  local fields = call('ZRANGEBYLEX', LISTED, '[' .. OWN_LIMIT, '(' .. BEHIND_OWN_LIMITS)
  for at = 1, #fields do
    fields[at] = LANE_FIELD .. sub(fields[at], 2)
  end
  for at, packed in ipairs(fetch('HMGET', META, fields)) do
    if not packed then return redis.error_reply('CORRUPT a partition with a limit has no record') end
    reply[#reply + 1] = pack('>B', 2) .. sub(packed, OWN_LIMIT_AT) .. sub(fields[at], 2)
  end
end
return { now, clock, number, reply }
