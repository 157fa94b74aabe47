--- `:Skills`, one row a subcommand.
local M = {}

local catalog = require('skills.catalog')
local chat = require('skills.chat')
local client = require('skills.client')
local review = require('skills.review')
local state = require('skills.state')

---@class skills.Call
---@field client vim.lsp.Client
---@field bufnr integer
---@field text string what follows the subcommand
---@field place { uri?: string, range?: lsp.Range } the buffer, and the lines where a range was given

---@class skills.Subcommand
---@field run fun(call: skills.Call)
---@field complete? fun(): string[]

---@param call skills.Call
---@param command string
---@param ... any
local function execute(call, command, ...)
  client.execute(call.client, 'skills.server.' .. command, { ... }, call.bufnr)
end

--- Runs something with a text, which the person is asked for where they gave none.
---@param call skills.Call
---@param prompt string
---@param run fun(text: string)
local function with_text(call, prompt, run)
  if call.text ~= '' then
    run(call.text)
    return
  end
  vim.ui.input({ prompt = prompt }, function(input)
    if input and vim.trim(input) ~= '' then
      run(input)
    end
  end)
end

---@param bufnr integer
---@param text string
local function fill(bufnr, text)
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(text, '\n', { plain = true }))
  vim.bo[bufnr].modifiable = false
end

--- Shows a text in a window of its own.
---@param text string
---@param filetype string
---@return integer bufnr
local function show(text, filetype)
  local bufnr = vim.api.nvim_create_buf(false, true)
  fill(bufnr, text)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].filetype = filetype
  vim.api.nvim_open_win(bufnr, true, { split = 'below' })
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, nowait = true, desc = 'Close' })
  return bufnr
end

--- Fills the window of the last preview again: its skill says something else by now.
---@param found vim.lsp.Client
function M.refresh_preview(found)
  local preview = state.preview
  if preview and vim.api.nvim_buf_is_valid(preview.bufnr) then
    client.request(found, 'skills/preview', preview.query, function(answer)
      if vim.api.nvim_buf_is_valid(preview.bufnr) then
        fill(preview.bufnr, answer.text)
      end
    end)
  end
end

---@param call skills.Call
---@param session string
local function resume(call, session)
  chat.clear()
  chat.open()
  local params = { sessionId = session, replayFrom = { type = 'start' } }
  client.request(call.client, 'skills/session/resume', params, function() end)
end

--- Which changes `keep` and `undo` mean.
local scopes = { 'hunk', 'file', 'all' }

--- Keeps or takes back changes: those at the cursor, of the file, or all.
---@param call skills.Call
---@param action 'keep'|'undo'
---@param all fun() what is done where nothing is named
local function decide(call, action, all)
  if call.text == '' or call.text == 'all' then
    all()
  elseif call.text == 'hunk' then
    review.decide(action)
  elseif call.text == 'file' then
    execute(call, action, { uri = call.place.uri })
  else
    vim.notify(('skills: %s what? hunk, file or all'):format(action), vim.log.levels.ERROR)
  end
end

local function complete_scopes()
  return scopes
end

---@type table<string, skills.Subcommand>
local subcommands = {
  run = {
    complete = catalog.runnable,
    run = function(call)
      local name, arguments = call.text:match('^(%S*)%s*(.*)$')
      client.run(call.client, { name, arguments, call.place }, call.bufnr)
    end,
  },
  ask = {
    run = function(call)
      client.ask(call.client, { call.text, call.place }, call.bufnr)
    end,
  },
  steer = {
    run = function(call)
      if call.text ~= '' then
        execute(call, 'steer', call.text)
        return
      end
      catalog.input('Tell the agent: ', function(text)
        execute(call, 'steer', text)
      end)
    end,
  },
  stop = {
    run = function(call)
      execute(call, 'cancel')
    end,
  },
  chat = {
    run = function()
      chat.open(true)
    end,
  },
  sessions = {
    run = function(call)
      client.request(call.client, 'skills/session/list', vim.empty_dict(), function(answer)
        local choices = { { title = 'New session' } }
        vim.list_extend(choices, answer.sessions)
        vim.ui.select(choices, {
          prompt = 'Sessions:',
          format_item = function(session)
            local title = session.title ~= '' and session.title or 'Empty'
            return session.state and ('%s (%s)'):format(title, session.state) or title
          end,
        }, function(choice)
          if choice and choice.sessionId then
            resume(call, choice.sessionId)
          elseif choice then
            chat.clear()
            execute(call, 'newSession')
          end
        end)
      end)
    end,
  },
  model = {
    complete = function()
      return state.models
    end,
    run = function(call)
      local function choose(name)
        execute(call, 'models', name)
      end
      if call.text ~= '' then
        choose(call.text)
        return
      end
      client.request(call.client, 'skills/models/list', vim.empty_dict(), function(answer)
        state.models = vim.tbl_map(function(model)
          return model.modelId
        end, answer.models)
        vim.ui.select(answer.models, {
          prompt = 'Model:',
          format_item = function(model)
            return ('%s (%s)%s'):format(model.name, model.provider, model.isCurrent and ', current' or '')
          end,
        }, function(choice)
          if choice then
            choose(('%s:%s'):format(choice.provider, choice.modelId))
          end
        end)
      end)
    end,
  },
  list = {
    run = function()
      catalog.refresh(function()
        show(table.concat(catalog.lines(), '\n'), 'markdown')
      end)
    end,
  },
  preview = {
    complete = catalog.runnable,
    run = function(call)
      local name, arguments = call.text:match('^(%S+)%s*(.*)$')
      local query = name and { name = name, arguments = arguments } or { uri = call.place.uri }
      client.request(call.client, 'skills/preview', query, function(answer)
        state.preview = { bufnr = show(answer.text, 'markdown'), query = query }
      end)
    end,
  },
  new = {
    run = function(call)
      with_text(call, 'Name of the new skill: ', function(name)
        execute(call, 'newSkill', name)
      end)
    end,
  },
  keep = {
    complete = complete_scopes,
    run = function(call)
      decide(call, 'keep', function()
        execute(call, 'keep')
      end)
    end,
  },
  undo = {
    complete = complete_scopes,
    run = function(call)
      decide(call, 'undo', function()
        execute(call, 'undoTurn')
      end)
    end,
  },
  review = {
    run = function()
      review.list()
    end,
  },
  transcript = {
    run = function(call)
      execute(call, 'openTranscript')
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
    vim.notify("skills: the server is not running; see `:checkhealth skills`", vim.log.levels.ERROR)
    return
  end
  -- A help window or the conversation is not what a prompt is about.
  local is_file = vim.bo[bufnr].buftype == ''
  local place = is_file and { uri = vim.uri_from_bufnr(bufnr) } or vim.empty_dict()
  if is_file and command.range > 0 then
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
