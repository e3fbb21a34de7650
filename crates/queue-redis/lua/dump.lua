#!lua flags=no-writes
-- Reads everything that belongs to a queue but the large parts, for the cross-check.
--
-- In: nothing more. Out: now, clock, number, meta, ids, states, payloads by their bytes, keys of outcomes, READY, LATER, LEASES and DONE with
-- scores, blocks, fills.
-- Guard: none. Cost: O(records); it holds up the server, so it is for tests and operators (I20).
-- @part queue
-- @part room
local payloads = {}
for _, seq in ipairs(call('HKEYS', PAYLOAD)) do
  payloads[#payloads + 1], payloads[#payloads + 2] = seq, text(content_bytes(call('HGET', PAYLOAD, seq)))
end
return {
  now, clock, number, call('HGETALL', META), call('HGETALL', IDS), call('HGETALL', STATE), payloads, call('HKEYS', OUTCOME),
  call('ZRANGE', READY, 0, -1, 'WITHSCORES'), call('ZRANGE', LATER, 0, -1, 'WITHSCORES'),
  call('ZRANGE', LEASES, 0, -1, 'WITHSCORES'), call('ZRANGE', DONE, 0, -1, 'WITHSCORES'),
  call('ZRANGE', BLOCKS, 0, -1, 'WITHSCORES'), call('HGETALL', FILL),
}
