-- Part: the due time of the oldest job in a range of an index that is in the order of claims, whose
-- members begin with `beginning`. Cost: one look per priority in use.
local function oldest_of(index, beginning, from, to)
  local oldest = NEVER
  while from do
    local front = call('ZRANGEBYLEX', index, from, to, 'LIMIT', 0, 1)[1]
    from = nil
    if front then
      local priority, run_at = read('>I2I6', front, #beginning + 1)
      oldest = math.min(oldest, run_at)
      if priority < 65535 then from = '[' .. beginning .. pack('>I2', priority + 1) end
    end
  end
  return oldest
end
