--- End-to-end tests in real Neovim: `nvim --clean -l tests/neovim/run.lua [PATTERN]`; `tests/run` sets what it needs:
--- SKILLS_LS, the server's binary; SKILLS_TEST_NVIM, the Neovim to drive; SKILLS_TEST_MODEL, the model endpoint.
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
package.path = here .. '/?.lua;' .. package.path
vim.g.repository = vim.fs.dirname(vim.fs.dirname(here))

local Editor = require('editor')
local Model = require('model')

local wanted = arg[1] or ''
local model = Model.start()
local passed, failed, skipped = 0, 0, 0
-- Without `vim.lsp.config` there is no plugin: only what every client can do is left to test.
local plugin = vim.fn.has('nvim-0.11') == 1

--- Copies the example workspace; nothing of the repository is ever written.
local function fresh_workspace()
  local root = vim.fn.tempname()
  local copied = vim.system({ 'cp', '-r', here .. '/workspace', root }):wait()
  assert(copied.code == 0, copied.stderr)
  vim.fn.mkdir(root .. '/.git')
  return vim.uv.fs_realpath(root)
end

---@class Case
---@field name string what the product promises
---@field untrusted? boolean whether the person has not said that they trust the folder
---@field settings? table
---@field run fun(editor: Editor, model: Model)

---@param case Case
---@return boolean passed, string? trace
local function attempt(case)
  local editor
  local ok, trace = xpcall(function()
    local home = vim.fn.tempname()
    vim.fn.mkdir(home, 'p')
    editor = Editor.start({
      workspace = fresh_workspace(),
      settings = vim.tbl_deep_extend('force', {
        trust = not case.untrusted and { workspace = true } or nil,
        model = { provider = 'anthropic', name = 'claude-sonnet-4-5' },
      }, case.settings or {}),
      -- The skills, settings and state of whoever runs the tests stay out of them.
      environment = {
        HOME = home,
        XDG_CONFIG_HOME = home .. '/config',
        XDG_STATE_HOME = home .. '/state',
        XDG_DATA_HOME = home .. '/data',
        ANTHROPIC_API_KEY = 'sk-test',
        ANTHROPIC_BASE_URL = model.url,
      },
    })
    case.run(editor, model)
  end, debug.traceback)
  if editor then
    editor:stop()
  end
  return ok, trace
end

local files = {
  'authoring', 'activation', 'turn', 'conversation', 'review', 'permission', 'rename', 'failure', 'setup',
}
for _, file in ipairs(files) do
  for _, case in ipairs(require('cases.' .. file)) do
    local name = file .. ': ' .. case.name
    if name:find(wanted, 1, true) and not plugin and file ~= 'authoring' then
      skipped = skipped + 1
      io.stdout:write('skip  Neovim: ' .. name .. ': the plugin needs Neovim 0.11\n')
    elseif name:find(wanted, 1, true) then
      local ok, trace = attempt(case)
      if ok then
        passed = passed + 1
        io.stdout:write('ok    ' .. name .. '\n')
      else
        failed = failed + 1
        io.stdout:write('FAIL  ' .. name .. '\n' .. tostring(trace):gsub('^', '      '):gsub('\n', '\n      ') .. '\n')
      end
    end
  end
end

model:stop()
io.stdout:write(('%d passed, %d failed, %d skipped\n'):format(passed, failed, skipped))
os.exit(failed == 0 and passed > 0 and 0 or 1)
