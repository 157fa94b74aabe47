--- What the person sees of a turn: one line at a time, for the whole story is in the transcript.
local M = {}

local state = require('skills.state')

--- Shows one line, cut so that it never asks for a key.
---@param text string
---@param keep? boolean also in `:messages`
function M.line(text, keep)
  -- The server names itself in titles, for editors that show nothing else.
  local line = 'skills: ' .. text:gsub('^skills: ', ''):gsub('%s+', ' ')
  local width = vim.o.columns - 12
  if vim.fn.strdisplaywidth(line) > width then
    line = vim.fn.strcharpart(line, 0, width - 1) .. '…'
  end
  vim.api.nvim_echo({ { line } }, keep or false, {})
end

--- Notes what the agent is doing; nil when it is idle again.
---@param activity? string
function M.activity(activity)
  state.activity = activity
  vim.cmd.redrawstatus()
  if activity then
    M.line(activity)
  end
end

--- Shows how an answer ends, where there is one.
---@param answer? string
function M.answer(answer)
  local last = answer and vim.trim(answer):match('[^\n]*$')
  if last and last ~= '' then
    M.line(last, true)
  end
end

--- Follows the progress that the server reports.
---@param progress lsp.ProgressParams
function M.progress(progress)
  local value = progress.value
  if type(value) ~= 'table' or not value.kind then
    return
  end
  if value.kind == 'end' then
    M.activity(nil)
  else
    M.activity(value.message and ('%s: %s'):format(value.title, value.message) or value.title)
  end
end

return M
