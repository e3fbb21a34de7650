#!lua flags=allow-oom
-- Applies transitions, then leases due jobs, in one step.
--
-- In: ARGV 3 limit, 4 lease in ms, 5 token, 6 worker (claim.lua); from ARGV 7 on the transitions (part/apply.lua).
-- Out: now, number, what apply.lua answers, what claim.lua answers.
-- Guards, invariants and cost: those of the two.
-- @part queue
-- @part state
-- @part hints
-- @part index
-- @part jobs
-- @part shapes
-- @part admit
-- @part apply
-- @part lease
local applied = apply_all(7)
told, ended, is_woken, mark = {}, {}, false, math.max(mark, touched_count > 0 and now or mark)
local claimed, wrong = claim(tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5], ARGV[6])
if wrong then return redis.error_reply('CORRUPT ' .. wrong) end
publish()
return { now, number, applied, claimed }
