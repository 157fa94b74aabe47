--- `:Skills`, one row a subcommand.
local M = {}

local client = require('skills.client')

---@class skills.Call
---@field client vim.lsp.Client
---@field bufnr integer
---@field text string what follows the subcommand
---@field place { uri: string, range?: lsp.Range } the buffer, and the lines where a range was given

---@class skills.Subcommand
---@field run fun(call: skills.Call)
---@field complete? fun(): string[]

---@return string[]
local function active_names()
  return vim.tbl_map(function(skill)
    return skill.name
  end, require('skills').active())
end

---@param call skills.Call
---@param command string
---@param ... any
local function execute(call, command, ...)
  client.execute(call.client, 'skills.server.' .. command, { ... }, call.bufnr)
end

---@type table<string, skills.Subcommand>
local subcommands = {
  run = {
    complete = active_names,
    run = function(call)
      local name, arguments = call.text:match('^(%S+)%s*(.*)$')
      if name then
        execute(call, 'run', name, arguments, call.place)
        return
      end
      vim.ui.select(active_names(), { prompt = 'Run skill:' }, function(choice)
        if choice then
          execute(call, 'run', choice, '', call.place)
        end
      end)
    end,
  },
  ask = {
    run = function(call)
      client.ask(call.client, { call.text, call.place }, call.bufnr)
    end,
  },
  cancel = {
    run = function(call)
      execute(call, 'cancel')
    end,
  },
  undo = {
    run = function(call)
      execute(call, 'undoTurn')
    end,
  },
  transcript = {
    run = function(call)
      execute(call, 'openTranscript')
    end,
  },
  active = {
    run = function()
      local lines = {}
      for _, skill in ipairs(require('skills').active()) do
        table.insert(lines, { ('%s  %s\n'):format(skill.name, skill.description) })
        for _, why in ipairs(skill.why) do
          table.insert(lines, { ('  %s %s\n'):format(why.kind, why.pattern or ''), 'Comment' })
        end
      end
      vim.api.nvim_echo(#lines > 0 and lines or { { 'No skill is active in this buffer.' } }, false, {})
    end,
  },
  trust = {
    complete = function()
      return { 'true', 'false' }
    end,
    run = function(call)
      if not call.client.root_dir then
        vim.notify('skills: this file belongs to no folder that could be trusted', vim.log.levels.WARN)
        return
      end
      execute(call, 'trust', vim.uri_from_fname(call.client.root_dir), call.text ~= 'false')
    end,
  },
}

---@param command vim.api.keyset.create_user_command.command_args
function M.run(command)
  local name, text = command.args:match('^(%S+)%s*(.*)$')
  local subcommand = subcommands[name]
  if not subcommand then
    vim.notify(('skills: no subcommand "%s"'):format(name), vim.log.levels.ERROR)
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local found = client.find(bufnr)
  if not found then
    vim.notify("skills: the server is not running; see `:checkhealth vim.lsp`", vim.log.levels.ERROR)
    return
  end
  local place = { uri = vim.uri_from_bufnr(bufnr) }
  if command.range > 0 then
    place.range = {
      start = { line = command.line1 - 1, character = 0 },
      ['end'] = { line = command.line2, character = 0 },
    }
  end
  subcommand.run({ client = found, bufnr = bufnr, text = vim.trim(text), place = place })
end

---@param lead string
---@param line string the whole command line
---@return string[]
function M.complete(lead, line)
  local name, rest = line:match('Skills!?%s+(%S+)%s+(.*)$')
  local candidates = {}
  if not name then
    candidates = vim.tbl_keys(subcommands)
  elseif rest == lead and subcommands[name] and subcommands[name].complete then
    candidates = subcommands[name].complete()
  end
  table.sort(candidates)
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
