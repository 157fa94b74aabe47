--- What other configuration may use: a status line, and the skills that are active.
local M = {}

local client = require('skills.client')
local state = require('skills.state')

--- A few words for a status line: how many skills are active in the buffer, and what the agent is doing, or that it
--- has no model.
---@param bufnr? integer the current buffer without it
---@return string status empty where the server is not attached
function M.status(bufnr)
  vim.validate('bufnr', bufnr, 'number', true)
  if #vim.lsp.get_clients({ name = client.name, bufnr = bufnr or 0 }) == 0 then
    return ''
  end
  local parts = { ('skills: %d'):format(#M.active(bufnr)) }
  if next(state.questions) then
    parts[2] = 'the agent has a question'
  elseif state.activity then
    parts[2] = state.activity
  elseif state.model and state.model.problem then
    parts[2] = 'no model'
  end
  -- A per cent sign would be read as an item of the status line.
  return (table.concat(parts, ' · '):gsub('%%', '%%%%'))
end

--- The skills that are active in a buffer.
---@param bufnr? integer the current buffer without it
---@return skills.ActiveSkill[]
function M.active(bufnr)
  vim.validate('bufnr', bufnr, 'number', true)
  return state.active[vim.uri_from_bufnr(bufnr or 0)] or {}
end

return M
