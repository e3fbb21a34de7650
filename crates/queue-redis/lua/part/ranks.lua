-- Part: places in indexes by time, whose members begin with their seq.

-- The number of entries before or at a time and a seq. The answer is exact whatever came and went
-- since the last page; among entries of one millisecond it is found by bisection. Seqs are compared
-- as numbers: the order of texts is up to the server's locale.
local function rank_behind(index, time, seq)
  local from, to = call('ZCOUNT', index, '-inf', '(' .. text(time)), call('ZCOUNT', index, '-inf', text(time))
  while from < to do
    local middle = math.floor((from + to) / 2)
    if read('>I6', call('ZRANGE', index, middle, middle)[1]) > seq then to = middle else from = middle + 1 end
  end
  return from
end

-- Brings the entries of an index from a rank on, until another, in portions (part/page.lua).
local function by_rank(index, from, until_rank)
  return function(size)
    local seqs, places = {}, {}
    local entries = from < until_rank and call('ZRANGE', index, from, math.min(from + size, until_rank) - 1, 'WITHSCORES') or {}
    for at = 1, #entries, 2 do
      local seq = sub(entries[at], 1, 6)
      seqs[#seqs + 1], places[#places + 1] = seq, pack('>I6', tonumber(entries[at + 1])) .. seq
    end
    from = from + #seqs
    return seqs, places
  end
end
