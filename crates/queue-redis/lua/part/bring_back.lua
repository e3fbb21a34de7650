-- Part of claims in turn: jobs that were set aside and whose kinds are not paused any more come
-- back to READY, or to their partition, whose key is at the end of their member. They leave their
-- line with what the script writes last.
--
-- Cost: a look at the line of each kind, and at most SET_ASIDE_MAX entries.
local into_ready, into_listed = {}, {}
kept = wanted > 0 and {} or kinds
for _, kind in ipairs(kinds or {}) do
  stopped[kind.name] = kind.is_on and kind
  local most = (kind.is_on or wanted == 0) and 0 or room
  local line_of_kind = kind.ends == NEVER and {} or call('ZRANGEBYLEX', LISTED, '[' .. kind.line, kind.behind, 'LIMIT', 0, most + 1)
  for at = 1, math.min(#line_of_kind, most) do
    local place_at = #kind.line + 1
    local place, partition = sub(line_of_kind[at], place_at, place_at + 13), sub(line_of_kind[at], place_at + PLACE_AND_SEQ)
    brought_back[#brought_back + 1] = line_of_kind[at]
    room = room - 1
    if partition == '' then
      into_ready[#into_ready + 1], into_ready[#into_ready + 2] = '0', place
    else
      enter_partition(into_listed, partition, place)
    end
  end
  if #line_of_kind > most then
    next_due = math.min(next_due, kind.is_on and kind.ends or now)
    is_over = is_over or not kind.is_on
  end
  if wanted > 0 and (kind.is_on or #line_of_kind > most) then kept[#kept + 1] = kind end
end
many('ZADD', READY, into_ready)
many('ZADD', LISTED, into_listed)
