#!lua flags=allow-oom
-- Tells the version of the layout that a namespace has; one that has none yet gets ours. And tries
-- every command of the scripts, so that a user who may not run one is told now: a script that is
-- refused half-way leaves half of its writes.
--
-- In: KEYS 1 the version; ARGV 1 ours, 2 a channel that nobody hears. Out: the namespace's version,
-- then what was refused.
-- Guard: nothing else is written. The key is there by then and holds a text, and rights are looked
-- at before that is found to be no hash. Allowed on a full server, so that it can be opened and
-- drained.
-- Cost: O(1).
local key, refused = KEYS[1], {}
local function try(command)
  local answer = redis.pcall(unpack(command))
  local said = type(answer) == 'table' and answer.err or ''
  if string.find(said, 'channel', 1, true) then
    refused[#refused + 1] = 'PUBLISH ' .. ARGV[2]
  elseif string.find(said, 'no permissions', 1, true) or string.find(said, "can't", 1, true) then
    refused[#refused + 1] = command[1]
  end
  return answer
end
try({ 'SET', key, ARGV[1], 'NX' })
local version = try({ 'GET', key })
if #refused == 0 then
  for _, command in ipairs({
    { 'TIME' }, { 'PUBLISH', ARGV[2], '' },
    { 'HGET', key, 'f' }, { 'HMGET', key, 'f' }, { 'HGETALL', key }, { 'HKEYS', key }, { 'HLEN', key },
    { 'HSET', key, 'f', 'v' }, { 'HDEL', key, 'f' }, { 'HINCRBY', key, 'f', 1 },
    { 'ZADD', key, 0, 'm' }, { 'ZREM', key, 'm' }, { 'ZREMRANGEBYRANK', key, 0, 0 },
    { 'ZSCORE', key, 'm' }, { 'ZCOUNT', key, 0, 0 }, { 'ZLEXCOUNT', key, '-', '+' }, { 'ZRANGE', key, 0, 0 }, { 'ZRANGEBYLEX', key, '-', '+' }, { 'ZRANGEBYSCORE', key, 0, 0 },
  }) do try(command) end
end
if #refused > 0 then return { 0, unpack(refused) } end
return { tonumber(version) }
