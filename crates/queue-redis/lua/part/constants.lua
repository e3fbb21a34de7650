-- Part: the numbers of a job's state string. They are put in where their names stand
-- (src/script.rs).
local FRONT = '>BBBBI6I6I4I4I6I6I6BBBI2I3'
local FRONT_BYTES = 50
-- The fixed bytes of the tail: the place of a job, and all of them.
local PLACE_BYTES, TAIL_BYTES = 8, 18
local NEVER = 281474976710655

local QUEUED, PROCESSING, FAILING, COMPLETED, FAILED, CANCELLED = 0, 1, 2, 3, 4, 5
-- In a hint, in place of COMPLETED: the result follows (part/hints.lua).
local COMPLETED_WITH = 131
local CANCEL_REQUESTED, AWAITED, HAS_RESULT, HAS_DETAILS, HAS_PROGRESS, RESULT_WITHIN = 1, 2, 4, 8, 16, 32
local EXPIRY_LIFTED, HAS_EXPIRY, EXPIRY_BYTES = 64, 128, 6
-- Bits of the extras, the second byte of flags.
local HAS_TAGS, HAS_ATTEMPTS, HAS_TERMS, HAS_GATE, HAS_SIGNALS, HAS_PARTITION = 1, 2, 4, 8, 16, 128
-- The bytes of a gate, and its flags; what a job that has sent its end signals owes.
local GATE_BYTES, IS_SEALED, HEEDS_URGENT, SIGNALS_SENT = 33, 1, 2, 255
-- The marks of an end signal.
local RAISES, TOLERANT, URGENT, NAMES_LIFE = 1, 2, 4, 8
-- A time further ahead than this does not come (Timestamp::is_far).
local FAR = 1576800000000
-- A member of LISTED that is a due job in the line of its kind: this, kind, the end, place, seq.
-- States are lower, tags higher, and no name has a zero byte.
local LINE, LINE_END, BEHIND_LINE = '\6', '\0', '\1'
-- A member of LISTED that is a job behind a closed gate: this, time-out, seq, priority.
local GATED, BEHIND_GATED = '\7', '\8'
-- Members of LISTED for partitions (part/lanes.lua). A due job stands in its partition (this, key,
-- the end, place, seq), and in the order over all partitions (this, place, seq).
local IN_PARTITION, PARTITION_END, BEHIND_PARTITION = '\8', '\0', '\1'
local IN_ANY_PARTITION, BEHIND_IN_ANY = '\9', '\10'
-- The front of a partition that has a job to give and a slot: this, priority, turn, key. Partitions
-- whose leases are limited stand apart from the others.
local FREE_FRONT, LIMITED_FRONT, BEHIND_FRONTS = '\11', '\12', '\13'
-- A partition, and one with a limit of its own: this, key.
local PARTITION, OWN_LIMIT, BEHIND_OWN_LIMITS = '\14', '\15', '\16'
-- The bytes of a place and a seq.
local PLACE_AND_SEQ = 14
