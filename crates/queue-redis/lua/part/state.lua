-- Part: a job's state string, as src/row.rs describes it byte by byte.
--
-- Its front is what changes and what the jobs of a batch mostly share, so that a script works out once what becomes of it:
-- state, flags, reason, settle, revision, epoch, failures, stalls, lease end or finish, purge_at, lengths of token, worker,
-- error and progress; token and worker. Its tail begins with priority, run_at, created_at and the payload's length; behind them error and progress,
-- what never changes, from the id on (id, kind, budgets, retentions, and where a flag says so its terms), and a small result.
local FRONT = '>BBBBI6I6I4I4I6I6BBI2I3'
local FRONT_BYTES = 43
-- From the beginning of the tail to what follows its fixed bytes.
local PLACE_BYTES, TAIL_BYTES = 8, 18
local NEVER = 281474976710655

local QUEUED, PROCESSING, FAILING, COMPLETED, FAILED, CANCELLED = 0, 1, 2, 3, 4, 5
local CANCEL_REQUESTED, AWAITED, HAS_RESULT, HAS_DETAILS, HAS_PROGRESS, RESULT_WITHIN = 1, 2, 4, 8, 16, 32
local EXPIRY_LIFTED, HAS_TERMS, TIMES_BYTES = 64, 128, 12

local function has(flags, flag)
  return flags % (flag * 2) >= flag
end

local function is_waiting(state)
  return state == QUEUED or state == FAILING
end

-- Where the tail begins.
local function tail_of(job)
  local token, worker = byte(job, 37, 38)
  return 44 + token + worker
end

-- How many bytes the payload has, without its content type.
local function payload_bytes(job)
  return read('>I4', job, tail_of(job) + 14)
end

-- Where the length of the id stands; the id is behind it.
local function id_at(job)
  local token, worker, failure, progress = read('>BBI2I3', job, 37)
  return 62 + token + worker + failure + progress
end

local function id_of(job)
  local at = id_at(job)
  return sub(job, at + 1, at + byte(job, at))
end

-- What stands behind id, kind, budgets and retentions, when its id begins here: its terms, which begin with its times.
local function terms_at(job, at)
  at = at + 1 + byte(job, at)
  return at + 21 + byte(job, at)
end

-- Where a small result begins, when its id does here.
local function result_at(job, at)
  at = terms_at(job, at)
  if not has(byte(job, 2), HAS_TERMS) then return at end
  return at + TIMES_BYTES + 1 + byte(job, at + TIMES_BYTES)
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
