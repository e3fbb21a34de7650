-- Part of claims of a queue with partitions or limits: chooses the jobs, in the order of turns,
-- each claim with its own share of jobs of limited partitions (I25, I26).
--
-- What came due, and what comes back, is written before, with the fronts of its partitions. What
-- the claims change is written at the end of the script.
local stopped, room, is_over = {}, SET_ASIDE_MAX, false
aside, leaving, brought_back = {}, {}, {}
next_due = math.min(next_due, earliest(LATER, '(' .. text(now)))
local moved = promote()
if moved == promote_max then next_due = math.min(next_due, now) end
has_moved = moved > 0
-- @part bring_back
-- @part lanes
-- @part settle_lanes
-- @part sweep
if changes then write_lanes(read_lanes({})) end
-- @part turns
if not is_swept then next_due = math.min(next_due, now) end

-- The next job of a partition leaves the due ones.
local function take_out(lane, place)
  if lane == line then
    leaving[#leaving + 1] = place
  else
    brought_back[#brought_back + 1], brought_back[#brought_back + 2] = lane.due.head, IN_ANY_PARTITION .. place
  end
end

local function lease(lane, place, job, claim)
  count = count + 1
  seqs[count], found[count], takers[count] = sub(place, 9), job, claim
  claim.left = claim.left - 1
  if lane.front == LIMITED_FRONT then claim.limited = claim.limited - 1 end
  next_due = math.min(next_due, claim.expires_at)
  take_out(lane, place)
  present, lane.turn = lane.turn, after_job(lane.turn, limit_of(lane))
  if lane ~= line then lane.leases, lane.waiting = lane.leases + 1, lane.waiting - 1 end
  move_on(lane)
end

local function set_job_aside(lane, place, kind)
  room = room - 1
  next_due = math.min(next_due, stopped[kind].ends)
  aside[#aside + 1], aside[#aside + 2] = '0', LINE .. kind .. LINE_END .. place .. lane.key
  take_out(lane, place)
  move_on(lane)
end

found = {}
for turn = 1, #claims do
  local claim = claims[turn]
  while claim.left > 0 and not is_over and not claim.is_cut_short do
    local lane = next_lane(claim.limited > 0)
    if not lane then break end
    local place = sub(lane.due.head, -PLACE_AND_SEQ)
    local job = call('HGET', STATE, sub(place, 9))
    if not job then return redis.error_reply('CORRUPT an entry of the ready index has no record') end
    local kind, more = has_kinds and kind_of(job), payload_bytes(job)
    if stopped[kind] and room == 0 then
      is_over = true
    elseif stopped[kind] then
      set_job_aside(lane, place, kind)
    elseif not claim.fits(more) then
      claim.is_cut_short = true
    elseif count > 0 and takers[count] ~= claim and bytes + more > ANSWER_BYTES_MAX then
      is_over, served = true, turn - 1
    else
      bytes = bytes + more
      lease(lane, place, job, claim)
    end
  end
  claim.is_kept_back = claim.left > 0 and claim.limited <= 0 and has_more(LIMITED_FRONT)
end
if line.front or has_more(FREE_FRONT) or has_more(LIMITED_FRONT) then
  next_due = math.min(next_due, now)
end
set_aside = SET_ASIDE_MAX - room
lane_fields = changed_lanes(aside, brought_back)
local turns = pack(TURNS, present, line.front and byte(line.front) or 0, line.priority, line.turn)
if wanted > 0 and turns ~= rules[2] then lane_fields[#lane_fields + 1], lane_fields[#lane_fields + 2] = 'turns', turns end
