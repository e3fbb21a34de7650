#!lua flags=no-writes
-- Lists the jobs that are leased under a token, by seq.
--
-- In and out: part/page.lua; ARGV 14 the token; a place is a seq. Guard: none: lapsed leases are
-- held until somebody ends them (I3).
-- Cost: one look at each lease of the queue, and at records as there. There is no index of tokens,
-- since every claim would pay for it, and only those whose answer was lost ask.
-- @part queue
-- @part state
-- @part tail
-- @part page
local token, begin = ARGV[14], after and read('>I6', after) or 0

-- Seqs are compared as numbers: the order of texts is up to the server's locale.
local behind = {}
for _, seq in ipairs(call('ZRANGE', LEASES, 0, -1)) do
  local count = read('>I6', seq)
  if count > begin then behind[#behind + 1] = count end
end
table.sort(behind)
local brought = 0
return page_of(function(size)
  local seqs = {}
  for at = brought + 1, math.min(brought + size, #behind) do
    seqs[#seqs + 1] = pack('>I6', behind[at])
  end
  brought = brought + #seqs
  return seqs, seqs
end, function(job) return byte(job, 44) == 16 and sub(job, 51, 66) == token end)
