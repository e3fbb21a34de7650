-- Part of the listing of due jobs where there are paused kinds or partitions: brings the places of
-- READY, of the jobs in any partition and of all lines as one order. In a line the key of a
-- partition stands behind the place.
--
-- Places are compared as numbers: the order of texts is up to the server's locale.
-- Cost: one look at the head of each order for each place, and one portion of each that is not
-- needed.
local orders = { { index = READY, beginning = '', from = after and '(' .. after or '-', to = '+' } }
local function add_order(beginning, behind)
  local from = after and '(' .. beginning .. after .. '\255' or '[' .. beginning
  orders[#orders + 1] = { index = LISTED, beginning = beginning, from = from, to = behind }
end
if has_partitions then add_order(IN_ANY_PARTITION, '(' .. BEHIND_IN_ANY) end
for _, kind in ipairs(kinds or {}) do
  add_order(kind.line, kind.behind)
end

-- Steps to the next place of an order; its head is nil behind the last one.
local function step(order)
  local at = (order.at or 0) + 1
  if not order.portion or at > #order.portion and #order.portion == PORTION_MIN then
    order.portion, at = call('ZRANGEBYLEX', order.index, order.from, order.to, 'LIMIT', 0, PORTION_MIN), 1
  end
  local member = order.portion[at]
  order.at, order.head = at, nil
  if member then
    local place_at = #order.beginning + 1
    order.from, order.head = '(' .. member, sub(member, place_at, place_at + PLACE_AND_SEQ - 1)
    order.priority, order.run_at, order.seq = read('>I2I6I6', order.head)
  end
end

local function is_before(one, other)
  if one.priority ~= other.priority then return one.priority < other.priority end
  if one.run_at ~= other.run_at then return one.run_at < other.run_at end
  return one.seq < other.seq
end

local function merged(size)
  local seqs, places = {}, {}
  while #places < size do
    local first
    for _, order in ipairs(orders) do
      if not order.portion then step(order) end
      if order.head and (not first or is_before(order, first)) then first = order end
    end
    if not first then break end
    seqs[#seqs + 1], places[#places + 1] = sub(first.head, 9), first.head
    step(first)
  end
  return seqs, places
end
