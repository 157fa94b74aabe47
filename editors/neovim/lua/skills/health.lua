--- `:checkhealth skills`.
local M = {}

local client = require('skills.client')

--- Where the server's program is, or why it does not run.
---@return string? program
local function check_program()
  local config = vim.lsp.config[client.name]
  local command = config and config.cmd
  if type(command) ~= 'table' then
    vim.health.error('`lsp/skills_ls.lua` is not on the runtime path', 'Add the folder `editors/neovim` to it')
    return nil
  end
  local path = vim.fn.exepath(command[1])
  if path == '' then
    vim.health.error(('`%s` is not on PATH'):format(command[1]), {
      'Build it: `cargo install --path server/lsp`',
      "Or name it: `vim.lsp.config('skills_ls', { cmd = { '/path/to/skills-ls' } })`",
    })
    return nil
  end
  local version = vim.system({ path, '--version' }, { text = true }):wait()
  if version.code ~= 0 then
    vim.health.error(('`%s` does not run: %s'):format(path, vim.trim(version.stderr or '')))
    return nil
  end
  vim.health.ok(('%s, `%s`'):format(vim.trim(version.stdout), path))
  return path
end

local function check_attached()
  local clients = vim.lsp.get_clients({ name = client.name })
  if #clients == 0 then
    vim.health.warn('the server is not running', {
      "Switch it on: `vim.lsp.enable('skills_ls')`",
      'Then open a file of a project',
    })
  end
  for _, running in ipairs(clients) do
    local buffers = vim.tbl_count(running.attached_buffers)
    vim.health.ok(('it serves %d buffers of `%s`'):format(buffers, running.root_dir or 'no folder'))
  end
end

--- What the person's configuration says.
---@return table
local function settings()
  return vim.tbl_get(vim.lsp.config[client.name] or {}, 'settings', 'skills') or {}
end

local function check_model()
  local model = settings().model or {}
  local vendor = (model.provider or 'anthropic'):find('^openai') and 'OPENAI_API_KEY' or 'ANTHROPIC_API_KEY'
  local variable = model.apiKeyEnv or vendor
  if model.provider == 'replay' or model.apiKeyCommand or model.baseUrl then
    vim.health.ok('the model is configured')
  elseif vim.env[variable] then
    vim.health.ok(('the key of the model is in `%s`'):format(variable))
  else
    vim.health.warn(('`%s` is not set, so the agent has no model'):format(variable), {
      'Set it where you start Neovim, or set `skills.model.apiKeyCommand`',
      'Skills are checked and completed without it',
    })
  end
end

--- What the server's own examination says of this folder.
---@param program string
local function check_folder(program)
  local result = vim.system({ program, 'doctor', '--json' }, { text = true }):wait()
  local ok, report = pcall(vim.json.decode, result.stdout)
  if not ok then
    vim.health.error('`skills-ls doctor` says nothing: ' .. vim.trim(result.stderr or ''))
    return
  end
  local trusted = vim.tbl_get(settings(), 'trust', 'workspace')
  for _, check in ipairs(report.checks) do
    local about = type(check.path) == 'string' and (' (`%s`)'):format(check.path) or ''
    local message = ('%s: %s%s'):format(check.topic, check.message, about)
    if check.topic == 'trust' and trusted ~= nil then
      -- The program alone does not know what this editor tells it.
      vim.health.ok(('trust: `trust.workspace` is `%s` in your settings'):format(trusted))
    elseif check.ok then
      vim.health.ok(message)
    else
      vim.health.warn(message)
    end
  end
end

function M.check()
  vim.health.start('skills: set-up')
  if vim.fn.has('nvim-0.11') == 0 then
    vim.health.error('Neovim 0.11 or later is needed')
    return
  end
  local program = check_program()
  check_attached()
  check_model()
  if program then
    vim.health.start('skills: ' .. vim.uv.cwd())
    check_folder(program)
  end
end

return M
