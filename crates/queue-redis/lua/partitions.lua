#!lua flags=allow-oom
-- Lists the partitions of a queue, in the order of the bytes of their keys.
--
-- In: ARGV 3 behind which key, '' for the beginning; 4 how many at most.
-- Out: now, clock, number, { for each its key; leases; waiting jobs; when its oldest job became
-- due, -1 for none; the limit in force; 1 if that is its own, else 0 }. Where more became due than
-- one script moves, now, clock and number alone: it is to be called again.
-- Guard: none. Cost: O(log n) for each and for each priority of its jobs; what came due is moved
-- first (part/come_due.lua).
-- @part queue
-- @part state
-- @part hints
-- @part oldest
-- @part come_due
if is_to_go_on then return { now, clock, number } end
local reply = {}
if has_partitions then
-- @part lanes
  local from = ARGV[3] == '' and '[' .. PARTITION or '(' .. PARTITION .. ARGV[3]
  local found, fields = call('ZRANGEBYLEX', LISTED, from, '(' .. OWN_LIMIT, 'LIMIT', 0, ARGV[4]), {}
  for at = 1, #found do
    fields[at] = LANE_FIELD .. sub(found[at], 2)
  end
  for at, packed in ipairs(fetch('HMGET', META, fields)) do
    if not packed then return redis.error_reply('CORRUPT a partition has no record') end
    local lane, place = lane_of(sub(found[at], 2), packed), 6 * at - 5
    local oldest = oldest_of(LISTED, IN_PARTITION .. lane.key .. PARTITION_END, bounds_of(lane.key))
    reply[place], reply[place + 1], reply[place + 2] = lane.key, lane.leases, lane.waiting
    reply[place + 3] = oldest == NEVER and -1 or oldest
    reply[place + 4], reply[place + 5] = limit_bytes(limit_of(lane)), lane.own and 1 or 0
  end
end
return { now, clock, number, reply }
