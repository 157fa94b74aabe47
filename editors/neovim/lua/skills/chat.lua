--- The conversation in a window at the side, as it happens.
local M = {}

local catalog = require('skills.catalog')
local state = require('skills.state')

local namespace = vim.api.nvim_create_namespace('skills.chat')

---@type integer?
local bufnr
--- The line of each call of a tool, by its id: an extmark.
---@type table<string, integer>
local calls = {}
--- The message that the last line belongs to.
---@type string?
local message
--- How many skills the list above the conversation has beside the active ones.
local listed = 12
--- The buffer that the person looked at when the conversation was shown, and how many lines tell of its skills.
local about, top = nil, 0

--- Keys in the window; it shows them at its top.
local keys = {
  { 'a', 'ask', 'ask' },
  { 's', 'steer', 'steer' },
  { 'x', 'stop', 'stop' },
  { 'r', 'review', 'review' },
  { 'u', 'undo', 'undo' },
  { 'q', 'close', 'close' },
}

---@return integer? window
local function window()
  return bufnr and vim.fn.win_findbuf(bufnr)[1]
end

--- Changes the text, and lets the windows follow that show its end.
---@param first integer
---@param last integer
---@param lines string[]
local function set(first, last, lines)
  local buffer = assert(bufnr)
  local count = vim.api.nvim_buf_line_count(buffer)
  local following = vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_cursor(win)[1] == count
  end, vim.fn.win_findbuf(buffer))
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, first, last, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  for _, win in ipairs(following) do
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buffer), 0 })
  end
end

--- Adds lines behind an empty one.
---@param lines string[]
local function add(lines)
  message = nil
  set(-1, -1, vim.list_extend({ '' }, lines))
end

--- Adds to the last line.
---@param text string
local function continue(text)
  local last = vim.api.nvim_buf_get_lines(assert(bufnr), -2, -1, false)[1]
  set(-2, -1, vim.split(last .. text, '\n', { plain = true }))
end

--- What a model or a tool says is one line here, whatever it contains.
---@param text string
---@return string
local function one_line(text)
  return (text:gsub('%s+', ' '))
end

--- Shows anew which skills there are, above the conversation.
local function show_top()
  local help = vim.tbl_map(function(key)
    return ('`%s` %s'):format(key[1], key[3])
  end, keys)
  local lines = { '# Skills', '' }
  vim.list_extend(lines, catalog.lines(about and vim.api.nvim_buf_is_valid(about) and about or nil, listed))
  if state.model then
    local label, problem = state.model.label, state.model.problem
    local said = problem and 'No model: ' .. one_line(problem) or ('Model: `%s`'):format(label)
    vim.list_extend(lines, { '', said })
  end
  vim.list_extend(lines, { '', table.concat(help, ' · ') })
  set(0, top, lines)
  top = #lines
end

---@return integer bufnr
local function buffer()
  if bufnr and vim.api.nvim_buf_is_valid(bufnr) then
    return bufnr
  end
  about = vim.api.nvim_get_current_buf()
  bufnr, calls, message, top = vim.api.nvim_create_buf(false, true), {}, nil, 1
  vim.api.nvim_buf_set_name(bufnr, 'skills://chat')
  vim.bo[bufnr].filetype = 'markdown'
  vim.bo[bufnr].modifiable = false
  for _, key in ipairs(keys) do
    local command = key[2] == 'close' and '<Cmd>close<CR>' or '<Cmd>Skills ' .. key[2] .. '<CR>'
    vim.keymap.set('n', key[1], command, { buffer = bufnr, nowait = true, desc = 'Skills: ' .. key[3] })
  end
  show_top()
  catalog.refresh(M.refresh)
  return bufnr
end

--- Tells again which skills there are, where the conversation is shown.
function M.refresh()
  if window() then
    show_top()
  end
end

--- Shows the conversation at the side; the cursor stays where it is, unless `enter` is true.
---@param enter? boolean
function M.open(enter)
  local win = window()
  if not win then
    local shown = buffer()
    win = vim.api.nvim_open_win(shown, false, {
      split = 'right',
      win = -1,
      width = math.max(30, math.min(80, math.floor(vim.o.columns * 0.4))),
    })
    for option, value in pairs({ wrap = true, linebreak = true, number = false, signcolumn = 'no', spell = false }) do
      vim.api.nvim_set_option_value(option, value, { scope = 'local', win = win })
    end
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(shown), 0 })
  end
  if enter then
    vim.api.nvim_set_current_win(win)
  end
end

--- Forgets what was said: another conversation begins, or is shown from its start.
function M.clear()
  local shown = buffer()
  calls, message = {}, nil
  vim.api.nvim_buf_clear_namespace(shown, namespace, 0, -1)
  set(0, -1, { '' })
  top = 1
  show_top()
end

--- How each state of a call of a tool is marked.
local marks = { in_progress = '…', completed = '✓', failed = '✗' }

---@param update table
local function tool(update)
  local id = update.toolCallId
  local shown = assert(bufnr)
  if update.status == 'in_progress' then
    add({ ('- %s `%s` %s'):format(marks.in_progress, update.name, one_line(update.title)) })
    calls[id] = vim.api.nvim_buf_set_extmark(shown, namespace, vim.api.nvim_buf_line_count(shown) - 1, 0, {})
    return
  end
  local mark = calls[id]
  local position = mark and vim.api.nvim_buf_get_extmark_by_id(shown, namespace, mark, {})
  if not position or not position[1] then
    return
  end
  local row = position[1]
  local line = vim.api.nvim_buf_get_lines(shown, row, row + 1, false)[1]
  local lines = { line }
  for _, content in ipairs(update.content or {}) do
    if content.type == 'diff' then
      for _, change in ipairs(content.changes) do
        table.insert(lines, ('  - %s %s'):format(change.operation, vim.fn.fnamemodify(change.path, ':~:.')))
      end
    elseif content.type == 'content' and content.content.text ~= '' then
      table.insert(lines, '  - ' .. one_line(content.content.text))
    end
  end
  if marks[update.status] then
    lines[1] = line:gsub(marks.in_progress, marks[update.status], 1)
  end
  -- What came later stays below: only this call's lines grow.
  set(row, row + 1, lines)
  calls[id] = vim.api.nvim_buf_set_extmark(shown, namespace, row, 0, { id = mark })
end

--- How a turn ended, for the person.
local endings = {
  end_turn = 'Done',
  cancelled = 'Stopped',
  max_turn_requests = 'Stopped at its limit',
}

--- What each update adds to the text.
---@type table<string, fun(update: table)>
local updates = {
  user_message = function(update)
    local text = vim.iter(update.content):map(function(block)
      return block.text or ''
    end)
    add(vim.list_extend({ '## You', '' }, vim.split(text:join('\n'), '\n', { plain = true })))
  end,
  agent_message_chunk = function(update)
    if update.content.type ~= 'text' then
      return
    end
    if message ~= update.messageId then
      add({ '' })
      message = update.messageId
    end
    continue(update.content.text)
  end,
  tool_call_update = tool,
  _skills_note = function(update)
    add({ '> ' .. one_line(update.text) })
  end,
  _skills_queue = function(update)
    local waiting = vim.list_extend({}, update.steering or {})
    for _, follow_up in ipairs(update.followUps or {}) do
      table.insert(waiting, follow_up.text)
    end
    if #waiting > 0 then
      add({ '> Waiting: ' .. one_line(table.concat(waiting, ' · ')) })
    end
  end,
  state_update = function(update)
    if update.state ~= 'idle' then
      return
    end
    local about = vim.tbl_get(update, '_meta', 'skills') or {}
    local words = { endings[update.stopReason] or 'Failed' }
    if type(about.inputTokens) == 'number' and about.inputTokens > 0 then
      table.insert(words, ('%d tokens read, %d written'):format(about.inputTokens, about.outputTokens or 0))
    end
    if type(about.message) == 'string' then
      table.insert(words, one_line(about.message))
    end
    add({ ('*%s*'):format(table.concat(words, ' · ')) })
  end,
}

--- Takes what happened in a turn.
---@param update table
function M.take(update)
  local run = updates[update.sessionUpdate]
  if run then
    buffer()
    run(update)
  end
end

return M
