-- Writes the states of keys if none has changed since it was read. See docs/stores.md.
--
-- KEYS     the names, all of one hash slot
-- ARGV[1]  the instant of the decision, in microseconds
-- and for each key, in their order
--          the state that was read; empty for none
--          the state to write; empty to leave what is there
--          how long to keep it, in milliseconds
--
-- Returns 1 and the server's time in microseconds if all states were as they had been read; otherwise 0,
-- the time, and the state of each key (nil for none), and nothing was written.
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
-- A decision made ahead of this clock would grant what is not there yet.
local same = ARGV[1] + 0 <= now
-- One key is what is asked most.
if #KEYS == 1 then
  local found = call('GET', KEYS[1])
  if not same or (found or '') ~= ARGV[2] then
    return {0, now, found}
  end
  if ARGV[3] ~= '' then
    call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
  end
  return {1, now}
end
local found = {}
for i = 1, #KEYS do
  found[i] = call('GET', KEYS[i])
  same = same and (found[i] or '') == ARGV[3 * i - 1]
end
if not same then
  return {0, now, unpack(found)}
end
for i = 1, #KEYS do
  if ARGV[3 * i] ~= '' then
    call('SET', KEYS[i], ARGV[3 * i], 'PX', ARGV[3 * i + 1])
  end
end
return {1, now}
