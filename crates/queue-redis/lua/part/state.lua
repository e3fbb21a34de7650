-- Part: a job's state string, as src/row.rs describes it byte by byte.
--
-- state, flags, reason, settle, revision, epoch, failures, stalls, run_at, lease end or finish, purge_at, created_at, priority,
-- lengths of token, worker, error and progress; behind them those four parts, then what never changes, from the id on.
local FIXED = '>BBBBI6I6I4I4I6I6I6I6c2BBI2I3'
local REST = 58
local NEVER = 281474976710655

local QUEUED, PROCESSING, FAILING, COMPLETED, FAILED, CANCELLED = 0, 1, 2, 3, 4, 5
local CANCEL_REQUESTED, AWAITED, HAS_RESULT, HAS_DETAILS, HAS_PROGRESS = 1, 2, 4, 8, 16

local function has(flags, flag)
  return flags % (flag * 2) >= flag
end

local function is_waiting(state)
  return state == QUEUED or state == FAILING
end

local function is_purged(job)
  return read('>I6', job, 37) <= now
end

local function id_of(job)
  local token, worker, failure, progress = read('>BBI2I3', job, 51)
  local at = REST + token + worker + failure + progress
  return sub(job, at + 1, at + byte(job, at))
end
