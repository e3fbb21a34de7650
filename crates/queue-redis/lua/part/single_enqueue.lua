-- Part: one plain job whose id is free, the call that programs make most. The rest of the script
-- says the same for any jobs; there a run spends half its time on making its functions and tables.
--
-- Plain is a job that is due now, of which nobody follows every change, and whose options say
-- nothing but a priority, and that its outcome is awaited. Another is left to the rest of the
-- script, with nothing written.
local options = ARGV[8]
if ARGV[4] == '1' and #options == 9 and not is_fed then
  local delay, marks, priority = read('>I6Bc2', options)
  local head = ARGV[9]
  local id = sub(head, 6, byte(head, 5) + 5)
  if delay == 0 and marks <= 1 and not call('HGET', IDS, id) then
    local count, at = last_seq + 1, pack('>I6', now)
    local seq, place = pack('>I6', count), priority .. at
    local block = text((count - count % 1024) / 1024)
    if number == 0 then number = tonumber(ARGV[3]) end
    call('HSET', IDS, id, seq)
    call('HSET', STATE, seq, pack(FRONT, QUEUED, marks * AWAITED, 0, 0, 1, 0, 0, 0, 0, NEVER, 0, 0, 0, 0, 0, 0) .. place .. at .. head)
    call('HSET', PAYLOAD, seq, ARGV[10])
    call('ZADD', READY, '0', place .. seq)
    call('HINCRBY', META, 'jobs' .. QUEUED, 1)
    if call('HINCRBY', FILL, block, 1) == 1 then call('ZADD', BLOCKS, block, block) end
    call('HSET', META, 'seq', text(count), 'number', text(number))
    local is_woken, ended, told = true, nil, nil
-- @part publish
    return { now, clock, number, last_seq }
  end
end
