-- Part: a job's state string, as src/row.rs describes it byte by byte.
--
-- Its front is what changes and what the jobs of a batch mostly share, so that a script works out once what becomes of it:
-- state, flags, reason, settle, revision, epoch, failures, stalls, lease end or finish, purge_at, claimed_at, extras (further flags),
-- lengths of token, worker, error and progress; token and worker. Its tail begins with priority, run_at, created_at and the payload's
-- length; behind them error (which begins with failed_at) and progress, what never changes, from the id on (id, kind, and where flags
-- say so budgets, retentions, terms and tags), and a small result.
local FRONT = '>BBBBI6I6I4I4I6I6I6BBBI2I3'
local FRONT_BYTES = 50
-- From the beginning of the tail to what follows its fixed bytes.
local PLACE_BYTES, TAIL_BYTES = 8, 18
local NEVER = 281474976710655

local QUEUED, PROCESSING, FAILING, COMPLETED, FAILED, CANCELLED = 0, 1, 2, 3, 4, 5
local CANCEL_REQUESTED, AWAITED, HAS_RESULT, HAS_DETAILS, HAS_PROGRESS, RESULT_WITHIN = 1, 2, 4, 8, 16, 32
local EXPIRY_LIFTED, HAS_TERMS, TIMES_BYTES = 64, 128, 12
-- Of the extras.
local HAS_TAGS, HAS_ATTEMPTS, HAS_BUDGETS, HAS_RETENTIONS = 1, 2, 4, 8
local BUDGETS_BYTES, RETENTIONS_BYTES = 8, 12

local function has(flags, flag)
  return flags % (flag * 2) >= flag
end

local function is_waiting(state)
  return state == QUEUED or state == FAILING
end

-- Where the tail begins.
local function tail_of(job)
  local token, worker = byte(job, 44, 45)
  return 51 + token + worker
end

-- How many bytes the payload has, without its content type.
local function payload_bytes(job)
  return read('>I4', job, tail_of(job) + 14)
end

-- Where the length of the id stands; the id is behind it.
local function id_at(job)
  local token, worker, failure, progress = read('>BBI2I3', job, 44)
  return 69 + token + worker + failure + progress
end

local function id_of(job)
  local at = id_at(job)
  return sub(job, at + 1, at + byte(job, at))
end

-- What stands behind id, kind, budgets and retentions, when its id begins here: its terms, which begin with its times.
local function terms_at(job, at)
  local extras = byte(job, 43)
  at = at + 1 + byte(job, at)
  at = at + 1 + byte(job, at)
  return at + (has(extras, HAS_BUDGETS) and BUDGETS_BYTES or 0) + (has(extras, HAS_RETENTIONS) and RETENTIONS_BYTES or 0)
end

-- What stands behind the terms: tags, where a flag says so.
local function tags_at(job, at)
  at = terms_at(job, at)
  if not has(byte(job, 2), HAS_TERMS) then return at end
  return at + TIMES_BYTES + 1 + byte(job, at + TIMES_BYTES)
end

-- Its tags, one a line, if it has some.
local function tags_of(job)
  local at = tags_at(job, id_at(job))
  return sub(job, at + 2, at + 1 + read('>I2', job, at))
end

-- Where a small result begins, when its id does here.
local function result_at(job, at)
  at = tags_at(job, at)
  if not has(byte(job, 43), HAS_TAGS) then return at end
  return at + 2 + read('>I2', job, at)
end

-- When it came into its state, in six bytes (JobMeta::entered_at, in Lua).
local function entered(job)
  local state, tail = byte(job, 1), tail_of(job)
  if state == PROCESSING then return sub(job, 37, 42) end
  if state > FAILING then return sub(job, 25, 30) end
  if state == FAILING and read('>I2', job, 46) > 0 then return sub(job, tail + TAIL_BYTES, tail + TAIL_BYTES + 5) end
  return sub(job, tail + 8, tail + 13)
end

-- Where it stands in LISTED besides under its tags: behind its state and when it came into it. Nil where it does not.
local function listed_as(job, seq)
  local state = byte(job, 1)
  if state ~= FAILING and state ~= FAILED and state ~= CANCELLED then return nil end
  return sub(job, 1, 1) .. entered(job) .. seq
end

-- Whether it has not started in time (JobMeta::is_expired, in Lua).
local function is_expired(job)
  local state, flags = byte(job, 1, 2)
  if state ~= QUEUED or not has(flags, HAS_TERMS) or has(flags, EXPIRY_LIFTED) then return false end
  local expires_in = read('>I6', job, terms_at(job, id_at(job)))
  return expires_in > 0 and read('>I6', job, tail_of(job) + 8) + expires_in <= now
end

local function is_purged(job)
  return read('>I6', job, 31) <= now
end
