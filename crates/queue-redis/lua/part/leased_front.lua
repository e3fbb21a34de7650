-- Part: `front`, the beginning of the state of `job` once it is leased, and `front_end`, where that
-- of the job ends now. It needs `ends` and `claimed_at` as six bytes, the token and the worker as
-- `proof`, and the length of the worker as `worker_bytes`.
local front_end = FRONT_BYTES + byte(job, 44) + byte(job, 45)
local revision, epoch = read('>I6I6', job, 5)
local front = pack('>B', PROCESSING) .. sub(job, 2, 3) .. pack('>BI6I6', 0, revision + 1, epoch + 1) .. sub(job, 17, 24)
  .. ends .. sub(job, 31, 36) .. claimed_at .. sub(job, 43, 43) .. pack('>BB', 16, worker_bytes) .. sub(job, 46, FRONT_BYTES) .. proof
