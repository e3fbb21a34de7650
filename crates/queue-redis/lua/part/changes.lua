-- Part: what a script changes of partitions, until part/lanes.lua writes it. A slot is a lease, so
-- leases are counted where a job enters LEASES or leaves it, and nowhere else (I25).
--
-- By key: how many leases and waiting jobs there are more, the lowest priority of due ones that
-- came, and whether some went or a limit is new; and the keys in the order in which they were met.
local changes, changed
-- Whether the queue has partitions or limits when the script ends.
local keeps_partitions = has_partitions

local function change_of(partition)
  if not changes then changes, changed = {}, {} end
  local change = changes[partition]
  if not change then
    change = { leases = 0, waiting = 0 }
    changes[partition], changed[#changed + 1] = change, partition
  end
  return change
end

-- Counts a job in or out of its partition.
local function count_in(partition, job, by)
  local change, state = change_of(partition), byte(job)
  if state == PROCESSING then
    change.leases = change.leases + by
  elseif state == QUEUED or state == FAILING then
    change.waiting = change.waiting + by
  end
end

-- Adds the members of LISTED for a due job of a partition, each behind a score.
local function enter_partition(members, partition, place)
  local change, priority, at = change_of(partition), read('>I2', place), #members
  change.came = math.min(change.came or priority, priority)
  members[at + 1], members[at + 2] = '0', IN_PARTITION .. partition .. PARTITION_END .. place
  members[at + 3], members[at + 4] = '0', IN_ANY_PARTITION .. place
end

-- Adds the same to what leaves LISTED.
local function leave_partition(members, partition, place)
  change_of(partition).is_moved = true
  local at = #members
  members[at + 1], members[at + 2] = IN_PARTITION .. partition .. PARTITION_END .. place, IN_ANY_PARTITION .. place
end
