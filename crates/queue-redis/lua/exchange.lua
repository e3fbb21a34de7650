#!lua flags=allow-oom
-- Applies transitions, then leases due jobs, in one step.
--
-- In: ARGV 3 limit, 4 lease in ms, 5 token, 6 worker (part/lease.lua); from ARGV 7 on the transitions (part/apply.lua).
-- Out: now, number, what apply.lua answers, what claim.lua answers.
-- Guards, invariants and cost: those of the two.
-- @part queue
-- @part state
-- @part hints
-- @part jobs
-- @part shapes
-- @part admit
local from = 7
-- @part apply
-- @part write
-- @part lease
-- @part publish
return { now, number, others, answers, claimed }
