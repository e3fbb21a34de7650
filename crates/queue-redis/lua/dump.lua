#!lua flags=no-writes
-- Reads everything that belongs to a queue but the large parts, for the cross-check.
--
-- In: nothing more. Out: now, number, meta, ids, states, keys of payloads, keys of outcomes, READY, LATER, LEASES and DONE with
-- scores, blocks, fills.
-- Guard: none. Cost: O(records); it holds up the server, so it is for tests and operators (I20).
-- @part queue
return {
  now, number, call('HGETALL', META), call('HGETALL', IDS), call('HGETALL', STATE), call('HKEYS', PAYLOAD), call('HKEYS', OUTCOME),
  call('ZRANGE', READY, 0, -1, 'WITHSCORES'), call('ZRANGE', LATER, 0, -1, 'WITHSCORES'),
  call('ZRANGE', LEASES, 0, -1, 'WITHSCORES'), call('ZRANGE', DONE, 0, -1, 'WITHSCORES'),
  call('ZRANGE', BLOCKS, 0, -1, 'WITHSCORES'), call('HGETALL', FILL),
}
