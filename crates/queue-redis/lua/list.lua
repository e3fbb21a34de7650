#!lua flags=no-writes
-- Lists a queue's jobs by seq.
--
-- In, out and guard: part/page.lua; a place is a seq.
-- Cost: as there. Records are found by the blocks of 1,024 seqs that hold some, so that what is
-- gone costs no more than its block.
-- @part queue
-- @part state
-- @part tail
-- @part page
local BLOCK = 1024

-- The seqs from one on, or to it, that are in the next block that holds records.
local function ahead(seq, size)
  local block = tonumber(call('ZRANGEBYSCORE', BLOCKS, math.floor(seq / BLOCK), '+inf', 'LIMIT', 0, 1)[1])
  if not block or seq > last_seq then return end
  local from = math.max(seq, block * BLOCK)
  return from, math.min(from + size - 1, block * BLOCK + BLOCK - 1, last_seq)
end

local function behind(seq, size)
  local block = tonumber(call('ZRANGE', BLOCKS, math.floor(seq / BLOCK), '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, 1)[1])
  if not block then return end
  local from = math.min(seq, block * BLOCK + BLOCK - 1)
  return from, math.max(from - size + 1, block * BLOCK)
end

local step = is_reversed and -1 or 1
local begin = after and read('>I6', after) + step or is_reversed and last_seq or 1
return page_of(function(size)
  local seqs = {}
  local from, to = (is_reversed and behind or ahead)(begin, size)
  if from then
    for seq = from, to, step do
      seqs[#seqs + 1] = pack('>I6', seq)
    end
    begin = to + step
  end
  return seqs, seqs
end, function() return true end)
