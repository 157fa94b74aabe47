--- What the agent changed, shown where it stands until the person keeps it or takes it back.
local M = {}

local client = require('skills.client')
local state = require('skills.state')

local namespace = vim.api.nvim_create_namespace('skills.review')

--- How many of the lines that stood there before are shown.
local shown_lines = 10

--- The lines that stood there before, as virtual ones.
---@param text string
---@return [string, string][][]
local function before(text)
  local lines = vim.split((text:gsub('\n$', '')), '\n', { plain = true })
  local virtual = {}
  for index = 1, math.min(#lines, shown_lines) do
    table.insert(virtual, { { lines[index] == '' and ' ' or lines[index], 'DiffDelete' } })
  end
  if #lines > shown_lines then
    table.insert(virtual, { { ('… and %d more'):format(#lines - shown_lines), 'Comment' } })
  end
  return virtual
end

--- Shows the undecided changes of a buffer.
---@param bufnr integer
---@param hunks skills.Hunk[]
function M.show(bufnr, hunks)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local shown = {}
  local count = vim.api.nvim_buf_line_count(bufnr)
  for index, hunk in ipairs(hunks) do
    local first, last = hunk.range.start.line, hunk.range['end'].line
    local is_removal = first == last and hunk.range.start.character == hunk.range['end'].character
    local row = math.min(first, count - 1)
    local mark = vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
      sign_text = is_removal and '▁' or '▎',
      sign_hl_group = is_removal and 'Removed' or hunk.oldText == '' and 'Added' or 'Changed',
      line_hl_group = not is_removal and 'DiffAdd' or nil,
      virt_lines = hunk.oldText ~= '' and before(hunk.oldText) or nil,
      virt_lines_above = first < count,
      virt_text = { { ('agent %d/%d'):format(index, #hunks), 'Comment' } },
      virt_text_pos = 'eol',
    })
    -- The last line is the one that the range ends in, unless it ends at its start.
    local final = hunk.range['end'].character == 0 and last - 1 or last
    for line = row + 1, math.min(final, count - 1) do
      vim.api.nvim_buf_set_extmark(bufnr, namespace, line, 0, {
        sign_text = '▎',
        sign_hl_group = hunk.oldText == '' and 'Added' or 'Changed',
        line_hl_group = 'DiffAdd',
      })
    end
    table.insert(shown, { hunk = hunk, mark = mark })
  end
  state.hunks[bufnr] = #shown > 0 and shown or nil
end

--- The lines of a buffer's changes as they are now, the first at 1.
---@param bufnr integer
---@return { hunk: skills.Hunk, first: integer, last: integer }[]
function M.places(bufnr)
  local places = {}
  for _, shown in ipairs(state.hunks[bufnr] or {}) do
    local position = vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, shown.mark, {})
    if position[1] then
      local range = shown.hunk.range
      local height = range['end'].line - range.start.line - (range['end'].character == 0 and 1 or 0)
      table.insert(places, { hunk = shown.hunk, first = position[1] + 1, last = position[1] + 1 + math.max(0, height) })
    end
  end
  return places
end

--- The change at the cursor.
---@return skills.Hunk?
local function at_cursor()
  local line = vim.api.nvim_win_get_cursor(0)[1]
  for _, place in ipairs(M.places(vim.api.nvim_get_current_buf())) do
    if place.first <= line and line <= place.last then
      return place.hunk
    end
  end
end

--- Moves to the next change, or to the one before: in this buffer, then in the others, then round.
---@param step 1|-1
function M.move(step)
  local here, line = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1]
  local all = {}
  local buffers = vim.tbl_keys(state.hunks)
  table.sort(buffers)
  for _, bufnr in ipairs(buffers) do
    for _, place in ipairs(M.places(bufnr)) do
      table.insert(all, { bufnr = bufnr, line = place.first })
    end
  end
  if #all == 0 then
    vim.notify('skills: the agent changed nothing that is undecided')
    return
  end
  local function is_behind(place)
    return place.bufnr > here or place.bufnr == here and place.line > line
  end
  local function is_before(place)
    return place.bufnr < here or place.bufnr == here and place.line < line
  end
  local found
  if step > 0 then
    found = vim.iter(all):find(is_behind) or all[1]
  else
    found = vim.iter(all):rfind(is_before) or all[#all]
  end
  -- So that the way back is Neovim's own.
  vim.cmd("normal! m'")
  if found.bufnr ~= here then
    vim.api.nvim_set_current_buf(found.bufnr)
  end
  vim.api.nvim_win_set_cursor(0, { found.line, 0 })
end

--- Keeps or takes back the change at the cursor.
---@param action 'keep'|'undo'
function M.decide(action)
  local hunk, found = at_cursor(), client.find()
  if not hunk or not found then
    vim.notify('skills: there is no change of the agent at the cursor')
    return
  end
  local params = { changeId = hunk.changeId, hunkIds = { hunk.hunkId }, action = action }
  client.request(found, 'skills/edit/resolve', params, function(result)
    if not result.applied then
      local why = result.reason or 'the lines were changed since'
      vim.notify('skills: nothing was taken back: ' .. why, vim.log.levels.WARN)
    end
  end)
end

--- All undecided changes as a quickfix list.
function M.list()
  local items = {}
  for bufnr in pairs(state.hunks) do
    for _, place in ipairs(M.places(bufnr)) do
      local text = vim.api.nvim_buf_get_lines(bufnr, place.first - 1, place.first, false)[1] or ''
      table.insert(items, { bufnr = bufnr, lnum = place.first, end_lnum = place.last, text = vim.trim(text) })
    end
  end
  if #items == 0 then
    vim.notify('skills: the agent changed nothing that is undecided')
    return
  end
  table.sort(items, function(one, other)
    return one.bufnr < other.bufnr or one.bufnr == other.bufnr and one.lnum < other.lnum
  end)
  vim.fn.setqflist({}, ' ', { title = "The agent's changes", items = items })
  vim.cmd('botright copen')
  vim.cmd.wincmd('p')
  vim.cmd.cfirst()
end

return M
