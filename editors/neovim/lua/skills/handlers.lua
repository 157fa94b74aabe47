--- What the server sends: the messages beyond the standard, which `lsp/skills_ls.lua` announces, and edits.

local show = require('skills.show')
local state = require('skills.state')

---@class skills.Question
---@field requestId string
---@field title string
---@field description? string
---@field options { optionId: string, name: string }[]

---@type table<string, lsp.Handler>
local M = {}

---@param uri string
---@return integer? bufnr nil where no loaded buffer shows the file, so that nothing is unsaved
local function loaded_buffer(uri)
  local wanted = vim.uri_from_fname(vim.uri_to_fname(uri))
  return vim.iter(vim.api.nvim_list_bufs()):find(function(bufnr)
    return vim.api.nvim_buf_is_loaded(bufnr) and vim.uri_from_bufnr(bufnr) == wanted
  end)
end

--- Tells the server now what it would be told up to 150 ms later.
---@param client vim.lsp.Client
---@param bufnr integer
local function flush(client, bufnr)
  -- Not a public part of Neovim: without it everything still works, only later.
  local found, tracking = pcall(require, 'vim.lsp._changetracking')
  if found then
    pcall(tracking.flush, client, bufnr)
  end
end

---@param params { uri?: string, skills: skills.ActiveSkill[] }
M['skills/active'] = function(_, params)
  if params.uri then
    -- The server answers in the client's own spelling, but buffers are looked up by Neovim's.
    state.active[vim.uri_from_fname(vim.uri_to_fname(params.uri))] = params.skills
    vim.cmd.redrawstatus()
  end
end

--- Of a turn's updates the plugin keeps the answer's text; what the agent is doing comes as progress.
---@param params { turnId: string, update: table }
M['skills/session/update'] = function(_, params)
  local update, turn = params.update, params.turnId
  if update.sessionUpdate == 'agent_message_chunk' and update.content.type == 'text' then
    -- What is said before a tool call is a message of its own; the last one is the answer.
    local answer = state.answers[turn]
    local before = answer and answer.message == update.messageId and answer.text or ''
    state.answers[turn] = { message = update.messageId, text = before .. update.content.text }
  elseif update.sessionUpdate == 'state_update' and update.state == 'idle' then
    show.answer(state.answers[turn] and state.answers[turn].text)
    state.answers[turn] = nil
  end
end

--- Asks the person. Whatever is not a chosen option is no permission.
---@param params skills.Question
M['skills/permission/request'] = function(_, params)
  local thread = coroutine.running()
  local id = params.requestId
  state.questions[id] = function(outcome)
    if state.questions[id] then
      state.questions[id] = nil
      -- Scheduled, because a `vim.ui.select` that blocks answers before the yield below.
      vim.schedule(function()
        coroutine.resume(thread, { outcome = outcome })
      end)
    end
  end
  local answer = state.questions[id]
  vim.ui.select(params.options, {
    kind = 'skills_permission',
    prompt = table.concat({ params.title, params.description }, '\n') .. '\n',
    format_item = function(option)
      return option.name
    end,
  }, function(option)
    answer(option and { outcome = 'selected', optionId = option.optionId } or { outcome = 'cancelled' })
  end)
  return coroutine.yield()
end

--- The question was answered elsewhere or withdrawn: an answer given here would come too late.
---@param params { requestId: string }
M['skills/permission/resolved'] = function(_, params)
  local answer = state.questions[params.requestId]
  if answer then
    answer({ outcome = 'cancelled' })
    show.line('the question was answered elsewhere')
  end
end

--- Applies an edit to the text that it was made for, and to no other. By itself Neovim tells the server late of what
--- was typed, skips an edit that comes too late but says that it was applied, and takes version 0 for any version.
---@param params lsp.ApplyWorkspaceEditParams
---@param context lsp.HandlerContext
M['workspace/applyEdit'] = function(err, params, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local buffers = {}
  for _, change in ipairs(params.edit.documentChanges or {}) do
    local document = change.textDocument
    local bufnr = document and loaded_buffer(document.uri)
    if bufnr then
      flush(client, bufnr)
      if type(document.version) == 'number' and document.version ~= vim.lsp.util.buf_versions[bufnr] then
        return { applied = false, failureReason = 'the document has changed' }
      end
      table.insert(buffers, bufnr)
    end
  end
  local answer = vim.lsp.handlers['workspace/applyEdit'](err, params, context)
  for _, bufnr in ipairs(buffers) do
    flush(client, bufnr)
  end
  return answer
end

return M
