-- Part: what a step does to gates (lifecycle/gate.rs of the core, in Lua, function by function),
-- and the end signals of jobs.
--
-- A gate is the number of signals that it needs, in eight bytes; how many it counted of completed,
-- failed and cancelled jobs, and the epoch at which it was closed, all ones for none, each in six;
-- and its flags. Lua has no whole numbers of eight bytes, so the need is two of four, which are
-- counted up exactly; as one number it is only compared with signals, of which there are fewer than
-- 2^50.
--
-- End signals are one text: for each its marks, the life that it is to, and the id of that behind
-- its length. Everything here reads, and changes `present` and `states`: nothing is written before
-- part/write.lua.
--
-- The functions are made when a script first needs one of them, so that a script about plain jobs
-- does not make them.
local change_gate, look, resolve, read_owed, send
local function make_gates()
  local lives, owed, texts, last = {}, {}, {}, {}
  local OPEN = pack('>I6', NEVER)

  -- The life that has an id, as this script leaves it so far.
  local function life_of(id)
    local seq = taken and taken[id]
    if seq then return seq end
    if lives[id] == nil then lives[id] = call('HGET', IDS, id) end
    return lives[id]
  end

  -- The record of a life, as this script leaves it so far. New ones have their places in `states`.
  local function record_of(seq)
    if present[seq] == nil then
      local count = read('>I6', seq)
      if count > last_seq then return states[2 * (count - last_seq)] end
      load({ seq })
    end
    return present[seq] or nil
  end

  local function put(seq, job)
    local count = read('>I6', seq)
    if count <= last_seq then
      touch(seq, false)
      present[seq] = job
    else
      states[2 * (count - last_seq)] = job
      if present[seq] then present[seq] = job end
    end
  end

  local function has_ended(job)
    return byte(job) > FAILING or is_expired(job)
  end

  -- The gate of a job, which the caller may change, and then makes a part of the job again. Many
  -- signals to one job take it apart once: `last` is the record as `with_gate` left it.
  local function gate_of(job)
    if job == last.job then return last.gate end
    if not has(byte(job, 43), HAS_GATE) then return nil end
    local at = gate_at(job, id_at(job))
    local high, low, completed, failed, cancelled, closed_at, flags = read('>I4I4I6I6I6c6B', job, at)
    return {
      high = high, low = low, [0] = completed, [1] = failed, [2] = cancelled, closed_at = closed_at,
      is_sealed = has(flags, IS_SEALED), heeds_urgent = has(flags, HEEDS_URGENT),
    }
  end

  -- A job with this gate, whether it had one or not.
  local function with_gate(job, gate)
    if job ~= last.job then
      local at, extras = gate_at(job, id_at(job)), byte(job, 43)
      local had = has(extras, HAS_GATE)
      last = {
        before = sub(job, 1, 42) .. string.char(had and extras or extras + HAS_GATE) .. sub(job, 44, at - 1),
        behind = sub(job, had and at + GATE_BYTES or at),
      }
    end
    local flags = (gate.is_sealed and IS_SEALED or 0) + (gate.heeds_urgent and HEEDS_URGENT or 0)
    last.gate = gate
    last.job = last.before .. pack('>I4I4I6I6I6c6B', gate.high, gate.low, gate[0], gate[1], gate[2], gate.closed_at, flags)
      .. last.behind
    return last.job
  end

  local function is_closed(job, gate)
    return gate.closed_at == sub(job, 11, 16)
  end

  local function is_complete(gate)
    return gate.is_sealed and gate[0] + gate[1] + gate[2] >= gate.high * 4294967296 + gate.low
  end

  local function open(seq, job, gate)
    gate.closed_at = OPEN
    job = with_gate(job, gate)
    local at = tail_of(job) + 2
    job = sub(job, 1, 4) .. pack('>I6', read('>I6', job, 5) + 1) .. sub(job, 11, at - 1)
      .. pack('>I6', math.min(read('>I6', job, at), now)) .. sub(job, at + 6)
    put(seq, job)
    is_woken = true
    if is_fed then tell(seq, job, byte(job)) end
  end

  -- A job whose gate needs one signal more; nil if it takes no raise.
  local function raise(job, by_itself)
    if has_ended(job) then return nil end
    local gate = gate_of(job)
    if not gate and by_itself then
      local zero = { high = 0, low = 1, [0] = 0, [1] = 0, [2] = 0, closed_at = OPEN, is_sealed = true, heeds_urgent = true }
      return with_gate(job, zero)
    elseif not gate or not by_itself and is_complete(gate) then
      return nil
    elseif gate.low < 4294967295 then
      gate.low = gate.low + 1
    elseif gate.high < 4294967295 then
      gate.high, gate.low = gate.high + 1, 0
    end
    return with_gate(job, gate)
  end

  local function receive(seq, marks, outcome)
    local job = record_of(seq)
    local gate = job and not has_ended(job) and gate_of(job)
    if not gate then return end
    local counted = has(marks, TOLERANT) and 0 or outcome
    gate[counted] = math.min(gate[counted] + 1, NEVER)
    local is_urgent = gate.heeds_urgent and has(marks, URGENT) and counted ~= 0
    if (is_urgent or is_complete(gate)) and is_closed(job, gate) then
      open(seq, job, gate)
    else
      put(seq, with_gate(job, gate))
    end
  end

  -- What a patch does to the gate of its own job (lifecycle/apply.rs): it seals, opens or closes
  -- it.
  change_gate = function(job, sent)
    local gate, closes = gate_of(job), sent.closes
    if gate and sent.kind == SEAL then gate.is_sealed = true end
    if gate and sent.opens then gate.closed_at = OPEN end
    if closes then
      gate = gate or { high = 0, low = 0, [0] = 0, [1] = 0, [2] = 0 }
      if closes.high then gate.high, gate.low = closes.high, closes.low end
      gate.is_sealed, gate.heeds_urgent = gate.is_sealed or closes.seals, closes.heeds_urgent
      gate.closed_at = sub(job, 11, 16)
    end
    return gate and with_gate(job, gate) or job
  end

  look = function(seq, sent)
    local job = record_of(seq)
    local gate = gate_of(job)
    if not gate or not is_closed(job, gate) then return end
    local is_urgent = sent.closes and gate.heeds_urgent and gate[1] + gate[2] > sent.closes.seen
    if is_complete(gate) or is_urgent then open(seq, job, gate) end
  end

  -- The signals of a text, each as its marks, the life and the id. Most jobs of a script have the
  -- same.
  local function signals_of(packed)
    local signals = texts[packed]
    if signals then return signals end
    local at = 1
    signals = {}
    while at <= #packed do
      local id_end = at + 7 + byte(packed, at + 7)
      signals[#signals + 1] = { marks = byte(packed, at), life = sub(packed, at + 1, at + 6), id = sub(packed, at + 8, id_end) }
      at = id_end + 1
    end
    texts[packed] = signals
    return signals
  end

  -- Resolves to which lives the signals of a new job are, and raises those that are to be raised.
  -- Answers the signals that some job will count, and how many they are; nil if one that is to be
  -- raised takes no raise, and then nothing is changed. `holder` is the job whose own step enqueues
  -- the new one.
  resolve = function(packed, holder)
    local kept, raised, is_orphaned = {}, {}, false
    for _, signal in ipairs(signals_of(packed)) do
      local seq, marks = life_of(signal.id), signal.marks
      if seq and has(marks, NAMES_LIFE) and seq ~= signal.life then seq = nil end
      local job = seq and record_of(seq)
      local after = job and raise(job, seq == holder)
      if after then
        if signal.kept_for ~= seq then
          local names_life = has(marks, NAMES_LIFE) and 0 or NAMES_LIFE
          signal.kept_for = seq
          signal.kept = pack('>B', marks + names_life) .. seq .. pack('>B', #signal.id) .. signal.id
        end
        kept[#kept + 1] = signal.kept
        if has(marks, RAISES) then raised[#raised + 1], raised[#raised + 2] = seq, after end
      elseif has(marks, RAISES) then
        is_orphaned = true
      end
    end
    if is_orphaned then return nil end
    for at = 1, #raised, 2 do
      put(raised[at], raised[at + 1])
    end
    return table.concat(kept), #kept
  end

  -- Reads the signals of these jobs, and the jobs that these are to, with two calls for all.
  read_owed = function(senders)
    local names, targets, met = {}, {}, {}
    for at = 1, #senders do
      names[at] = senders[at] .. 'r'
    end
    for at, packed in ipairs(fetch('HMGET', OUTCOME, names)) do
      local signals = signals_of(packed or '')
      owed[senders[at]] = signals
      for _, signal in ipairs(signals) do
        local seq = signal.life
        if has(signal.marks, NAMES_LIFE) and present[seq] == nil and not met[seq] then
          met[seq], targets[#targets + 1] = true, seq
        end
      end
    end
    load(targets)
  end

  -- Sends the signals of a job that has ended. One that came by an import knows only the id, since
  -- its job came before the other.
  send = function(seq, outcome)
    for _, signal in ipairs(owed[seq]) do
      local to = has(signal.marks, NAMES_LIFE) and signal.life or life_of(signal.id)
      if to then receive(to, signal.marks, outcome) end
    end
  end
end
