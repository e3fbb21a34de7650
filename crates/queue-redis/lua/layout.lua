#!lua flags=allow-oom
-- Tells the version of the layout that a namespace has; one that has none yet gets ours.
--
-- In: KEYS 1 the version; ARGV 1 ours. Out: the namespace's. Allowed on a full server, so that it can be opened and drained.
-- Cost: O(1).
if redis.call('SET', KEYS[1], ARGV[1], 'NX') then return tonumber(ARGV[1]) end
return tonumber(redis.call('GET', KEYS[1]))
