-- Part of listings: which of the records that a walk steps through a page shows, and when it ends.
--
-- In: ARGV 3 limit; 4 states as a sum of 2 ^ state; 5 kind, 6 worker, 7 tag, 8 beginning of the id,
-- 9 partition, '' for any; 10 and 11 from and until when it came into its state, '' for whenever;
-- 12 the place behind which to begin, '' for the beginning; 13 is '1' if the newest come first;
-- what follows is the walk's own. A place is what the walk sorts by, in bytes.
-- Out: now, clock, number, the place where the page ended if there may be more or '', how many
-- records it stepped through, those that it shows, each behind its seq.
-- Guard: a record past its purge time is absent (I20).
-- Cost: at most LOOKS_MAX records of the walk; with those that do not belong to it and entries
-- without one, PROBES_MAX.

-- A script holds up the server, so a page that looks for few among many goes on in another one.
local LOOKS_MAX, PROBES_MAX, PORTION_MAX, PORTION_MIN = 2000, 4000, 1000, 64
local limit, states, kind, worker, tag, prefix = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local of_partition, entered_from, entered_until = ARGV[9], tonumber(ARGV[10]), tonumber(ARGV[11])
local after, is_reversed = ARGV[12] ~= '' and ARGV[12], ARGV[13] == '1'

-- Whether a page shows a record (ListFilter::matches, in Lua).
local function matches(job)
  if not has(states, 2 ^ byte(job, 1)) then return false end
  if worker ~= '' then
    local token_length, worker_length = byte(job, 44, 45)
    if sub(job, 51 + token_length, 50 + token_length + worker_length) ~= worker then return false end
  end
  local at = id_at(job)
  if prefix ~= '' and (#prefix > byte(job, at) or sub(job, at + 1, at + #prefix) ~= prefix) then return false end
  if kind ~= '' and kind_of(job) ~= kind then return false end
  if of_partition ~= '' and partition_of(job) ~= of_partition then return false end
  if tag ~= '' then
    local lines = has(byte(job, 43), HAS_TAGS) and '\n' .. tags_of(job) .. '\n' or ''
    if not string.find(lines, '\n' .. tag .. '\n', 1, true) then return false end
  end
  if not entered_from then return true end
  local at_ms = read('>I6', entered(job))
  return entered_from <= at_ms and at_ms < entered_until
end

-- Answers one page. `portion` is given how many entries it may bring, and answers their seqs and
-- their places, in order and behind those that it brought before; none at the end. `stands` tells
-- whether a record belongs to the walk, where not every entry of what is walked does and some have
-- no record.
local function page_of(portion, stands)
  local shown, looked, probed, ended = {}, 0, 0, after or ''
  local size = math.max(PORTION_MIN, math.min(limit + 1, PORTION_MAX))
  while true do
    local seqs, places = portion(size)
    if #seqs == 0 then return { now, clock, number, '', looked, shown } end
    local found = fetch('HMGET', STATE, seqs)
    for at = 1, #seqs do
      local job = found[at]
      if not job and not stands then return redis.error_reply('CORRUPT an entry of an index has no record') end
      local is_there = job and not is_purged(job) and (not stands or stands(job))
      -- There is a further record, so this page is not the last.
      local is_full = is_there and #shown == limit or looked == LOOKS_MAX or probed == PROBES_MAX
      if is_full then return { now, clock, number, ended, looked, shown } end
      probed, ended = probed + 1, places[at]
      if is_there then
        looked = looked + 1
        if matches(job) then shown[#shown + 1] = seqs[at] .. job end
      end
    end
    size = math.min(2 * size, PORTION_MAX)
  end
end
