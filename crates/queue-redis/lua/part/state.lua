-- Part: a job's state string, as src/row.rs describes it byte by byte.
--
-- Its front is what changes and what the jobs of a batch mostly share, so that a script works out once what becomes of it:
-- state, flags, reason, settle, revision, epoch, failures, stalls, lease end or finish, purge_at, lengths of token, worker,
-- error and progress; token and worker. Its tail begins with priority, run_at, created_at and the payload's length; behind them error and progress,
-- what never changes, from the id on, and a small result.
local FRONT = '>BBBBI6I6I4I4I6I6BBI2I3'
local FRONT_BYTES = 43
-- From the beginning of the tail to what follows its fixed bytes.
local PLACE_BYTES, TAIL_BYTES = 8, 18
local NEVER = 281474976710655

local QUEUED, PROCESSING, FAILING, COMPLETED, FAILED, CANCELLED = 0, 1, 2, 3, 4, 5
local CANCEL_REQUESTED, AWAITED, HAS_RESULT, HAS_DETAILS, HAS_PROGRESS, RESULT_WITHIN = 1, 2, 4, 8, 16, 32

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

-- Where a small result begins, when its id does here: behind id, kind, budgets and retentions.
local function result_at(job, at)
  at = at + 1 + byte(job, at)
  return at + 21 + byte(job, at)
end

local function is_purged(job)
  return read('>I6', job, 31) <= now
end
