-- Part of listings of what is due: what came due since the last claim is moved first, as a claim
-- does. Where `is_to_go_on` says so there may be more, or LISTED may be empty, and is not to be
-- read again (part/write.lua); then the script is to be called again.
-- @part changes
-- @part promote
local moved, wanted, next_due, timed_out, keeps_gates = promote(), 1, NEVER, nil, nil
if has_gates then
-- @part time_outs
end
if changes then
-- @part lanes
-- @part settle_lanes
  write_lanes(read_lanes({}))
end
many('ZREM', LISTED, timed_out)
local has_timed_out = timed_out and #timed_out > 0
if moved > 0 or has_timed_out then
-- @part publish
end
local is_to_go_on = moved == promote_max or has_timed_out
