--- What the server sends: the messages beyond the standard, which `lsp/skills_ls.lua` announces, and edits.

local chat = require('skills.chat')
local show = require('skills.show')
local state = require('skills.state')

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
    chat.refresh()
  end
end

--- For the status line, and above the conversation: what answers.
---@param params { model?: skills.Model }
M['skills/agent/status'] = function(_, params)
  state.model = params.model
  vim.cmd.redrawstatus()
  chat.refresh()
end

--- A turn's updates go to the conversation at the side, and the end of the answer to the message line.
---@param params { turnId: string, update: table }
M['skills/session/update'] = function(_, params)
  local update, turn = params.update, params.turnId
  chat.take(update)
  if update.sessionUpdate == 'state_update' and update.state == 'running' and vim.g.skills_chat ~= false then
    chat.open()
  end
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

---@param params skills.Question
M['skills/permission/request'] = function(_, params)
  return require('skills.question').ask(params)
end

---@param params { requestId: string }
M['skills/permission/resolved'] = function(_, params)
  require('skills.question').withdraw(params.requestId)
end

--- Shows what the agent changed, unless the text is another by now: then the server tells it again.
---@param params { uri: string, version: integer, hunks: skills.Hunk[] }
M['skills/edit/changes'] = function(_, params)
  local bufnr = loaded_buffer(params.uri)
  if bufnr and (#params.hunks == 0 or params.version == vim.lsp.util.buf_versions[bufnr]) then
    require('skills.review').show(bufnr, params.hunks)
  end
end

--- The skill that is previewed, or a file that comes with it, is another by now.
M['skills/preview/didChange'] = function(_, _, context)
  require('skills.commands').refresh_preview(assert(vim.lsp.get_client_by_id(context.client_id)))
end

--- Saves these buffers and no others: a command is about to run, which sees what is on the disk.
---@param params { uris: string[] }
M['skills/workspace/save'] = function(_, params)
  local saved, failed = {}, {}
  for _, uri in ipairs(params.uris) do
    local bufnr = loaded_buffer(uri)
    local ok, message = pcall(function()
      if bufnr then
        vim.api.nvim_buf_call(bufnr, function()
          vim.cmd('silent update')
        end)
      end
    end)
    if ok then
      table.insert(saved, uri)
    else
      table.insert(failed, { uri = uri, message = tostring(message) })
    end
  end
  return { saved = saved, failed = failed }
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
  for _, change in ipairs(params.edit.documentChanges or {}) do
    if change.kind == 'create' then
      -- The new buffer is not on the disk yet; its folder has to be, for `:write`.
      pcall(vim.fn.mkdir, vim.fs.dirname(vim.uri_to_fname(change.uri)), 'p')
    end
  end
  for _, bufnr in ipairs(buffers) do
    flush(client, bufnr)
  end
  return answer
end

return M
