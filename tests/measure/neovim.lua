--- Measures how long Neovim takes no input while a project with 1,000 skills is opened: the longest time between two
--- ticks of a timer in its main loop, with the plugin and without; and how much of the processor it used meanwhile,
--- which a busy machine does not change. Prints; judges nothing. Needs what
--- `tests/neovim/run.lua` needs: `nvim --clean -l tests/measure/neovim.lua`
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
vim.g.repository = vim.fs.dirname(vim.fs.dirname(here))
package.path = vim.g.repository .. '/tests/neovim/?.lua;' .. package.path

local Editor = require('editor')

local skills, rounds, tick = 1000, 5, 5

local root = vim.fn.tempname()
for number = 1, skills do
  local folder = ('%s/.claude/skills/skill-%04d'):format(root, number)
  vim.fn.mkdir(folder, 'p')
  vim.fn.writefile({
    '---',
    ('name: skill-%04d'):format(number),
    'description: Does what is to be done. Use when it is to be done.',
    ('paths: src/part%d/**/*.ts'):format(number % 50),
    '---',
    'Do it.',
  }, folder .. '/SKILL.md')
end
vim.fn.mkdir(root .. '/src/part7', 'p')
vim.fn.mkdir(root .. '/.git')
vim.fn.writefile({ 'export {}' }, root .. '/src/part7/a.ts')
root = vim.uv.fs_realpath(root)

--- Opens a file in a fresh editor; the longest pause and the most work in one, in milliseconds.
---@param with_plugin boolean
---@return [number, number]
local function longest_pause(with_plugin)
  local home = vim.fn.tempname()
  vim.fn.mkdir(home, 'p')
  local editor = Editor.start({
    workspace = root,
    settings = {},
    environment = { HOME = home, XDG_CONFIG_HOME = home, XDG_STATE_HOME = home, XDG_DATA_HOME = home },
  })
  editor:run(function(with_plugin, tick)
    if not with_plugin then
      vim.lsp.enable('skills_ls', false)
    end
    _G.longest = { 0, 0 }
    local function used()
      local usage = vim.uv.getrusage()
      return (usage.utime.sec + usage.stime.sec) * 1e3 + (usage.utime.usec + usage.stime.usec) / 1e3
    end
    local last, last_used = vim.uv.hrtime(), used()
    assert(vim.uv.new_timer()):start(tick, tick, function()
      local now, now_used = vim.uv.hrtime(), used()
      _G.longest[1] = math.max(_G.longest[1], (now - last) / 1e6 - tick)
      _G.longest[2] = math.max(_G.longest[2], now_used - last_used)
      last, last_used = now, now_used
    end)
  end, with_plugin, tick)
  if with_plugin then
    editor:open('src/part7/a.ts')
    editor:wait('the skills are active and known', function()
      return #require('skills').active() == 20 and #require('skills.state').skills >= 1000
    end)
    editor:skills('chat')
  else
    editor:run(function(path)
      vim.cmd.edit(path)
    end, root .. '/src/part7/a.ts')
  end
  vim.wait(1000)
  local longest = editor:run(function()
    return _G.longest
  end)
  editor:stop()
  return longest
end

---@param values number[]
local function median(values)
  table.sort(values)
  return values[math.ceil(#values / 2)]
end

for _, with_plugin in ipairs({ false, true }) do
  local pauses, used = {}, {}
  for _ = 1, rounds do
    local pause = longest_pause(with_plugin)
    table.insert(pauses, pause[1])
    table.insert(used, pause[2])
  end
  io.stdout:write(('Neovim, %d skills, %s: no input for %.0f ms, of which %.0f ms are work (medians of %d)\n'):format(
    skills,
    with_plugin and 'with the plugin' or 'without',
    median(pauses),
    median(used),
    rounds
  ))
end
vim.fn.delete(root, 'rf')
