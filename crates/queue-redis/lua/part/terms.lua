-- Part: what stands behind the id in a job's state string, and what follows from all of it.

local function id_of(job)
  local at = id_at(job)
  return sub(job, at + 1, at + byte(job, at))
end

-- The place of the terms of a job whose id begins at `at`: behind id, kind, budgets and retentions.
-- Terms begin with the times.
local function terms_at(job, at)
  local extras = byte(job, 43)
  at = at + 1 + byte(job, at)
  at = at + 1 + byte(job, at)
  return at + (has(extras, HAS_BUDGETS) and BUDGETS_BYTES or 0) + (has(extras, HAS_RETENTIONS) and RETENTIONS_BYTES or 0)
end

-- The place behind the terms: that of the tags, where a flag says so.
local function tags_at(job, at)
  at = terms_at(job, at)
  if not has(byte(job, 2), HAS_TERMS) then return at end
  return at + TIMES_BYTES + 1 + byte(job, at + TIMES_BYTES)
end

-- The tags, one a line, of a record that has some.
local function tags_of(job)
  local at = tags_at(job, id_at(job))
  return sub(job, at + 2, at + 1 + read('>I2', job, at))
end

-- The place of a small result of a job whose id begins at `at`.
local function result_at(job, at)
  at = tags_at(job, at)
  if not has(byte(job, 43), HAS_TAGS) then return at end
  return at + 2 + read('>I2', job, at)
end

-- Whether a job has not started in time (JobMeta::is_expired, in Lua).
local function is_expired(job)
  local state, flags = byte(job, 1, 2)
  if state ~= QUEUED or not has(flags, HAS_TERMS) or has(flags, EXPIRY_LIFTED) then return false end
  local expires_in = read('>I6', job, terms_at(job, id_at(job)))
  return expires_in > 0 and read('>I6', job, tail_of(job) + 8) + expires_in <= now
end

local function is_purged(job)
  return read('>I6', job, 31) <= now
end
