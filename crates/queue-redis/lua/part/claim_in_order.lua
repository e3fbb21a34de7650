-- Part of claims of a queue without partitions and limits: takes the first of READY, and hands them
-- to the claims in their order.
local members = {}
if has_kinds then
-- @part clear_front
  set_aside = #leaving
elseif wanted == 0 then
  next_due = math.min(next_due, earliest(LATER, '-inf'), ready_since(0))
else
  next_due = math.min(next_due, earliest(LATER, '(' .. text(now)))
  if promote() == promote_max then next_due = math.min(next_due, now) end
  members = call('ZRANGE', READY, 0, wanted - 1)
  if #members == wanted then next_due = math.min(next_due, ready_since(wanted)) end
end

for at = 1, #members do
  seqs[at] = sub(members[at], 9)
end
found = found or fetch('HMGET', STATE, seqs)
local turn = 1
for at = 1, #members do
  if not found[at] then return redis.error_reply('CORRUPT an entry of the ready index has no record') end
  local more, claim = payload_bytes(found[at]), claims[turn]
  while claim and (claim.left == 0 or not claim.fits(more)) do
    claim.is_cut_short = claim.left > 0
    turn = turn + 1
    claim = claims[turn]
  end
  if not claim then break end
  if count > 0 and takers[count] ~= claim and bytes + more > ANSWER_BYTES_MAX then
    served = turn - 1
    break
  end
  claim.left, takers[at], count, bytes = claim.left - 1, claim, at, bytes + more
  next_due = math.min(next_due, claim.expires_at)
end
if count < #members then
  -- No payload is read that the answer has no room for.
  next_due = math.min(next_due, now)
  for at = #seqs, count + 1, -1 do
    seqs[at] = nil
  end
end
if has_kinds then
  for at = 1, count do
    leaving[#leaving + 1] = members[at]
  end
end
