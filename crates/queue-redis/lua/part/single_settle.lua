-- Part: one job that its holder completes with a small result, the settle that workers make most.
-- The rest of the script says the same for any batch; for one job it spends most of its time on
-- making its functions and tables.
--
-- Whatever the guard refuses, and whatever else is to be kept of the job, is left to the rest of
-- the script, with nothing written.
if ARGV[4] == '1' and ARGV[6] == '1' and ARGV[10] == '1' and ARGV[13] == '0' and tonumber(ARGV[3]) == number and not is_fed then
  local proof, lapse, seen, settle, epoch, kind, state, reason, mode, marks, failures, stalls, span, token_at =
    read('>BBBBI6BBBBBI4I4I6', ARGV[7])
  local seq, id, result = ARGV[8], ARGV[9], ARGV[11]
  local is_plain = proof == BY_LEASE and settle > 0 and kind == FINISH and state == COMPLETED and marks == WITH_SMALL_RESULT
  local job = is_plain and call('HGET', STATE, seq)
  if job then
    local was_state, flags, _, _, revision, was_epoch, _, _, lapses_at, was_purged_at, claimed_at, extras, token_length,
      worker_length, failure_length, progress_length, front_end = read(FRONT, job)
    local token, tail = sub(ARGV[7], token_at, token_at + 15), front_end + token_length + worker_length
    local id_at, is_awaited = tail + TAIL_BYTES + failure_length + progress_length, flags == AWAITED
    if was_state == PROCESSING and (flags == 0 or is_awaited) and (seen == ANY_FLAGS or seen == flags) and extras == 0
      and was_epoch == epoch and token_length == 16 and sub(job, front_end, front_end + 15) == token
      and not (lapse == LIVE and lapses_at <= now) and lapse ~= LAPSED and was_purged_at > now
      and sub(job, id_at, id_at + #id - 1) == id then
      local purge_at = mode == NEVER_PURGED and NEVER or now + span
      local became = pack('>BBBBI6I6I4I4I6I6I6BBB', COMPLETED, flags + HAS_RESULT + RESULT_WITHIN, reason, settle, revision + 1, epoch,
        failures, stalls, now, purge_at, claimed_at, extras, token_length, 0) .. sub(job, 46, 50) .. token .. sub(job, tail) .. result
      call('HSET', STATE, seq, became)
      call('ZADD', DONE, purge_at == NEVER and '+inf' or text(purge_at), seq)
      call('ZREM', LEASES, seq)
      call('HINCRBY', META, 'jobs' .. PROCESSING, -1)
      call('HINCRBY', META, 'jobs' .. COMPLETED, 1)
      local is_woken, told, ended = nil, nil, nil
      if is_awaited then
        ended = { pack('>B', COMPLETED_WITH) .. sub(became, 5, 10) .. seq .. id .. pack('>B', #result) .. result }
      end
-- @part publish
      return { now, clock, number, {}, { became } }
    end
  end
end
