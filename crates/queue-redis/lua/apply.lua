#!lua flags=allow-oom
-- Applies decided transitions, each atomic by itself, in order.
--
-- In: from ARGV 3 on the transitions (part/apply.lua).
-- Out: now, number, { place of each transition that is not done, and 1 lease lost, 2 stale, 3 missing }, { for each transition
-- its record, '' if missing }.
-- Guard: the transition's own, against the record (I4, I5, I6, I10). Keeps I1, I7, I13, I19, I20, I24. Allowed on a full server.
-- Cost: one read and one write of the state string, O(log n) to leave an index and to enter one.
-- @part queue
-- @part state
-- @part hints
-- @part jobs
-- @part shapes
-- @part admit
local from = 3
-- @part apply
-- @part write
-- @part publish
return { now, number, others, answers }
