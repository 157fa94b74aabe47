--- A question of the agent: its details in a window, its answers through `vim.ui.select`.
local M = {}

local show = require('skills.show')
local state = require('skills.state')

---@class skills.Question
---@field requestId string
---@field title string
---@field description? string
---@field options { optionId: string, name: string }[]
---@field takesText? boolean whether words of the person's own are an answer too

--- Shows what the question is about, such as a diff; the cursor stays where it is.
---@param text string
---@return fun() close
local function details(text)
  local bufnr = vim.api.nvim_create_buf(false, true)
  local lines = vim.split(text, '\n', { plain = true })
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].filetype = 'diff'
  vim.bo[bufnr].modifiable = false
  local height = math.max(1, math.min(#lines, math.floor(vim.o.lines / 2)))
  local opened, window = pcall(vim.api.nvim_open_win, bufnr, false, { split = 'below', win = -1, height = height })
  return function()
    if opened and vim.api.nvim_win_is_valid(window) then
      pcall(vim.api.nvim_win_close, window, true)
    end
  end
end

--- The answer in words of the person's own.
local own_words = { optionId = 'text', name = 'Answer in your own words…' }

--- Asks the person. Whatever is not a chosen option is no permission.
---@async
---@param question skills.Question
---@return { outcome: table, message?: string }
function M.ask(question)
  local thread = coroutine.running()
  local id = question.requestId
  -- One short line fits beside the title; more, such as a diff, in a window of its own.
  local about = question.description or ''
  local is_short = not vim.trim(about):find('\n') and vim.fn.strchars(about) <= 200
  local close = is_short and function() end or details(about)
  local prompt = is_short and vim.trim(question.title .. ' ' .. about) or question.title
  state.questions[id] = function(outcome, message)
    if state.questions[id] then
      state.questions[id] = nil
      close()
      -- Scheduled, because a `vim.ui.select` that blocks answers before the yield below.
      vim.schedule(function()
        coroutine.resume(thread, { outcome = outcome, message = message })
      end)
    end
  end
  local answer = state.questions[id]
  local function choose(option, message)
    answer(option and { outcome = 'selected', optionId = option.optionId } or { outcome = 'cancelled' }, message)
  end
  local options = vim.list_extend({}, question.options)
  if question.takesText then
    table.insert(options, own_words)
  end
  -- A `vim.ui.select` that blocks shows nothing that was not drawn before.
  vim.cmd.redraw()
  vim.ui.select(options, {
    kind = 'skills_permission',
    prompt = prompt,
    format_item = function(option)
      return option.name
    end,
  }, function(option)
    if option ~= own_words then
      choose(option)
      return
    end
    vim.ui.input({ prompt = prompt .. ' ' }, function(text)
      choose(text and text ~= '' and own_words or nil, text)
    end)
  end)
  return coroutine.yield()
end

--- It was answered elsewhere or withdrawn: an answer given here would come too late.
---@param id string
function M.withdraw(id)
  local answer = state.questions[id]
  if answer then
    answer({ outcome = 'cancelled' })
    show.line('the question was answered elsewhere')
  end
end

return M
