-- Part: the kinds that are paused, and those of which jobs were set aside (ADR 0054).
--
-- META has them in one field: each name behind its length, then the number of its pause. The line
-- of a kind is a range of LISTED, whose members end as those of READY do, so that it is in the
-- order of claims: `line` is what they begin with, and `behind` is behind them all. A due job
-- stands in READY or in its line.
local kinds, kinds_text
if has_kinds then
  kinds, kinds_text = {}, call('HGET', META, 'kinds') or ''
  local at = 1
  while at <= #kinds_text do
    local name_end = at + byte(kinds_text, at)
    local name, ends = sub(kinds_text, at + 1, name_end), read('>I6', kinds_text, name_end + 1)
    kinds[#kinds + 1] = {
      name = name, ends = ends, is_on = ends > now, line = LINE .. name .. LINE_END, behind = '(' .. LINE .. name .. BEHIND_LINE,
    }
    at = name_end + 7
  end
end
