-- Part: shapes, which are what many items of a batch have in common, sent and read once.
--
-- In ARGV stand, from a place on: two bytes for each item that say which shape it has, from zero,
-- or '' if there is one shape for all; the count of shapes; the shapes.

-- Answers the parsed shapes, a function that tells that of an item, and the place behind.
local function read_shapes(at, parse)
  local places, count = ARGV[at], tonumber(ARGV[at + 1])
  local shapes = {}
  for index = 1, count do
    shapes[index] = parse(ARGV[at + 1 + index])
  end
  local function shape_of(item)
    if places == '' then return shapes[1] end
    local high, low = byte(places, 2 * item - 1, 2 * item)
    return shapes[high * 256 + low + 1]
  end
  return shape_of, at + 2 + count
end
