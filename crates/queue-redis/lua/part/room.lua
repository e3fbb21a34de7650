-- Part: the bytes that an answer may still bring (queue_core::AnswerRoom, in Lua).

-- Answers a function that takes a part of so many bytes or leaves it out: the first fits whatever
-- its size, and from the first that does not fit none does. With -1 none does from the beginning.
local function room_of(bytes_max)
  local left, is_empty = bytes_max, true
  return function(bytes)
    if left < 0 or bytes > left and not is_empty then
      left = -1
      return false
    end
    left, is_empty = math.max(left - bytes, 0), false
    return true
  end
end

-- The bytes of a payload or result behind its content type.
local function content_bytes(blob)
  return #blob - 1 - byte(blob)
end
