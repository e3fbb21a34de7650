-- Part, at the end of scripts that change jobs: raises the mark of time, and publishes.
if now > mark then
  call('SET', MARK, text(now))
  mark = now
end
if is_woken then call('PUBLISH', sub(META, 1, -5) .. 'wake', '') end
if ended then call('PUBLISH', sub(META, 1, -5) .. 'ends', pack('>I3', number) .. table.concat(ended)) end
if told then call('PUBLISH', sub(META, 1, -5) .. 'feed', pack('>I3', number) .. table.concat(told)) end
