-- Part: a job's state string, as src/row.rs describes it byte by byte.
--
-- Its front is what changes and what the jobs of a batch mostly share, so that a script works out
-- once what becomes of it: state, flags, reason, settle, revision, epoch, failures, stalls, lease
-- end or finish, purge_at, claimed_at, extras (further flags), lengths of token, worker, error and
-- progress; token and worker. Its tail begins with priority, run_at, created_at and the payload's
-- length; behind them error (which begins with failed_at) and progress, what hardly ever changes,
-- from the id on (id, kind, and where flags say so expiry, terms, tags, partition, gate, and how
-- many end signals the job owes), and a small result.
-- @part constants

local function has(flags, flag)
  return flags % (flag * 2) >= flag
end

local function is_waiting(state)
  return state == QUEUED or state == FAILING
end

-- The place where the tail begins.
local function tail_of(job)
  local token, worker = byte(job, 44, 45)
  return 51 + token + worker
end

-- The number of bytes of the payload, without its content type.
local function payload_bytes(job)
  return read('>I4', job, tail_of(job) + 14)
end

-- The place of the id's length; the id is behind it.
local function id_at(job)
  local token, worker, failure, progress = read('>BBI2I3', job, 44)
  return 69 + token + worker + failure + progress
end

local function kind_of(job)
  local at = id_at(job)
  at = at + 1 + byte(job, at)
  return sub(job, at + 1, at + byte(job, at))
end

-- The time at which a job came into its state, in six bytes (JobMeta::entered_at, in Lua).
local function entered(job)
  local state, tail = byte(job, 1), tail_of(job)
  if state == PROCESSING then return sub(job, 37, 42) end
  if state > FAILING then return sub(job, 25, 30) end
  if state == FAILING and read('>I2', job, 46) > 0 then return sub(job, tail + TAIL_BYTES, tail + TAIL_BYTES + 5) end
  return sub(job, tail + 8, tail + 13)
end

-- The member of LISTED for a job's state: state, the time at which it came into it, seq. Nil for a
-- state that is not listed.
local function listed_as(job, seq)
  local state = byte(job, 1)
  if state ~= FAILING and state ~= FAILED and state ~= CANCELLED then return nil end
  return sub(job, 1, 1) .. entered(job) .. seq
end
