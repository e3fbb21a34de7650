-- Part: what stands behind the id in a job's state string, and what follows from all of it.

local function id_of(job)
  local at = id_at(job)
  return sub(job, at + 1, at + byte(job, at))
end

-- The place of the expiry of a job whose id begins at `at`: behind id and kind.
local function expiry_at(job, at)
  at = at + 1 + byte(job, at)
  return at + 1 + byte(job, at)
end

-- The place behind a part that has a length, and that stands at `at` where a flag says so.
local function past(job, at, flag)
  if not has(byte(job, 43), flag) then return at end
  return at + 2 + read('>I2', job, at)
end

-- The place of the terms, whose bytes no script reads.
local function terms_at(job, at)
  return expiry_at(job, at) + (has(byte(job, 2), HAS_EXPIRY) and EXPIRY_BYTES or 0)
end

local function tags_at(job, at)
  return past(job, terms_at(job, at), HAS_TERMS)
end

-- The tags, one a line, of a record that has some.
local function tags_of(job)
  local at = tags_at(job, id_at(job))
  return sub(job, at + 2, at + 1 + read('>I2', job, at))
end

local function partition_at(job, at)
  return past(job, tags_at(job, at), HAS_TAGS)
end

-- The partition of a job; false if it has none.
local function partition_of(job)
  if not has(byte(job, 43), HAS_PARTITION) then return false end
  local at = partition_at(job, id_at(job))
  return sub(job, at + 1, at + byte(job, at))
end

-- The place of the gate of a job whose id begins at `at`, where it has one.
local function gate_at(job, at)
  at = partition_at(job, at)
  return has(byte(job, 43), HAS_PARTITION) and at + 1 + byte(job, at) or at
end

-- The place of a small result: behind the gate, and behind the byte that says what the job owes.
local function result_at(job, at)
  local extras = byte(job, 43)
  return gate_at(job, at) + (has(extras, HAS_GATE) and GATE_BYTES or 0) + (has(extras, HAS_SIGNALS) and 1 or 0)
end

-- Whether the gate of a job was closed at its present epoch (Gate::is_closed, in Lua).
local function is_behind_gate(job)
  if not has(byte(job, 43), HAS_GATE) then return false end
  local at = gate_at(job, id_at(job)) + 26
  return sub(job, at, at + 5) == sub(job, 11, 16)
end

-- Whether a job has not started in time (JobMeta::is_expired, in Lua).
local function is_expired(job)
  local state, flags = byte(job, 1, 2)
  if state ~= QUEUED or not has(flags, HAS_EXPIRY) or has(flags, EXPIRY_LIFTED) then return false end
  return read('>I6', job, tail_of(job) + 8) + read('>I6', job, expiry_at(job, id_at(job))) <= now
end

local function is_purged(job)
  return read('>I6', job, 31) <= now
end
