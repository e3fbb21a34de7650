#!lua flags=no-writes
-- Reads everything that belongs to a queue but the large parts, for the cross-check.
--
-- In: nothing more. Out: now, clock, number, meta, ids, states, payloads by their bytes with
-- headers, headers where there are some, keys of outcomes, attempts, end signals, READY, LATER,
-- LEASES, DONE and LISTED with scores, blocks, fills.
-- Guard: none. Cost: O(records); it holds up the server, so it is for tests and operators (I20).
-- @part queue
-- @part state
-- @part room
local payloads, headers, attempts, signals = {}, {}, {}, {}
for _, seq in ipairs(call('HKEYS', PAYLOAD)) do
  local blob, job = call('HGET', PAYLOAD, seq), call('HGET', STATE, seq)
  payloads[#payloads + 1], payloads[#payloads + 2] = seq, text(content_bytes(blob))
  local own = job and #job > FRONT_BYTES and payload_bytes(job) or content_bytes(blob)
  if content_bytes(blob) > own then
    headers[#headers + 1], headers[#headers + 2] = seq, sub(blob, 2 + byte(blob) + own)
  end
end
local outcomes = call('HKEYS', OUTCOME)
for _, name in ipairs(outcomes) do
  if #name == 7 and sub(name, 7) == 'a' then
    attempts[#attempts + 1], attempts[#attempts + 2] = name, call('HGET', OUTCOME, name)
  elseif #name == 7 and sub(name, 7) == 'r' then
    signals[#signals + 1], signals[#signals + 2] = name, call('HGET', OUTCOME, name)
  end
end
return {
  now, clock, number, call('HGETALL', META), call('HGETALL', IDS), call('HGETALL', STATE), payloads, headers, outcomes, attempts, signals,
  call('ZRANGE', READY, 0, -1, 'WITHSCORES'), call('ZRANGE', LATER, 0, -1, 'WITHSCORES'),
  call('ZRANGE', LEASES, 0, -1, 'WITHSCORES'), call('ZRANGE', DONE, 0, -1, 'WITHSCORES'),
  call('ZRANGE', LISTED, 0, -1, 'WITHSCORES'), call('ZRANGE', BLOCKS, 0, -1, 'WITHSCORES'), call('HGETALL', FILL),
}
