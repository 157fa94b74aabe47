--- All skills of a project, as the server's command line lists them.
local M = {}

local client = require('skills.client')
local state = require('skills.state')

---@param found vim.lsp.Client
---@return string? program nil where the server is not started as a program
local function program(found)
  local cmd = found.config.cmd
  return type(cmd) == 'table' and cmd[1] or nil
end

--- Looks for the skills, and then calls back; at once where nothing can be looked at.
---@param on_found? fun(skills: skills.ListedSkill[])
function M.refresh(on_found)
  on_found = on_found or function() end
  local found = client.find()
  local command = found and program(found)
  if not found or not command then
    on_found(state.skills)
    return
  end
  vim.system({ command, 'list', '--json' }, { text = true, cwd = found.root_dir }, function(result)
    vim.schedule(function()
      local ok, listed = pcall(vim.json.decode, result.stdout, { luanil = { object = true, array = true } })
      if ok and type(listed) == 'table' and listed.skills then
        state.skills = listed.skills
      else
        vim.notify('skills: the skills could not be listed: ' .. (result.stderr or ''), vim.log.levels.WARN)
      end
      on_found(state.skills)
    end)
  end)
end

--- The names of skills that can be run: those that are active in the buffer first.
---@return string[]
function M.runnable()
  local names, seen = {}, {}
  local function add(name)
    if not seen[name] then
      seen[name] = true
      table.insert(names, name)
    end
  end
  for _, skill in ipairs(require('skills').active()) do
    add(skill.name)
  end
  for _, skill in ipairs(state.skills) do
    local counts = skill.state == 'listed' or skill.state == 'hidden' or skill.state == 'active'
    if counts and skill.userInvocable ~= false then
      add(skill.name)
    end
  end
  return names
end

--- What a skill says that it takes, such as `[environment]`; nil where it says nothing.
---@param name string
---@return string?
function M.hint(name)
  for _, skill in ipairs(state.skills) do
    if skill.name == name and skill.argumentHint and skill.argumentHint ~= '' then
      return skill.argumentHint
    end
  end
end

--- Completes `/name` in a prompt, and behind it what the skill takes. Candidates are whole lines, as `input()` wants them.
---@param line string what is typed so far
---@return string[]
function M.complete_prompt(line)
  local name = line:match('^/(%S+) +$')
  if name then
    local hint = M.hint(name)
    return hint and { '/' .. name .. ' ' .. hint } or {}
  end
  local candidates = vim.tbl_map(function(found)
    return '/' .. found
  end, M.runnable())
  return vim.startswith(line, '/') and vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, line)
  end, candidates) or {}
end

--- Asks the person for a prompt, in which the names of skills are completed.
---@param prompt string
---@param on_text fun(text: string) not called where they wrote nothing
function M.input(prompt, on_text)
  M.refresh(function()
    local options = { prompt = prompt, completion = "customlist,v:lua.require'skills.catalog'.complete_prompt" }
    vim.ui.input(options, function(text)
      if text and vim.trim(text) ~= '' then
        on_text(text)
      end
    end)
  end)
end

--- Why a skill is active, in a few words.
---@param skill skills.ActiveSkill
---@return string
function M.why(skill)
  return table.concat(
    vim.tbl_map(function(why)
      return why.pattern or why.kind
    end, skill.why),
    ', '
  )
end

--- How many characters of a description the list shows.
local shown_characters = 70

--- A description as one short line.
---@param description string
---@return string
local function short(description)
  local line = vim.trim((description:gsub('%s+', ' ')))
  return vim.fn.strchars(line) <= shown_characters and line or vim.fn.strcharpart(line, 0, shown_characters - 1) .. '…'
end

--- The list: what is active in the buffer, and why; then what else can be run, and what is broken.
---@param bufnr? integer the current buffer without it
---@param most? integer how many are listed beside the active ones; all without it
---@return string[] lines in Markdown
function M.lines(bufnr, most)
  local lines, active, left_out = {}, {}, 0
  for _, skill in ipairs(require('skills').active(bufnr)) do
    active[skill.path or skill.name] = true
    table.insert(lines, ('- **%s** is active: %s'):format(skill.name, M.why(skill)))
  end
  most = most and most + #lines
  for _, skill in ipairs(state.skills) do
    if skill.state == 'shadowed' or active[skill.path or skill.name] then
      -- Another of its name goes before it, or it is listed already.
    elseif most and #lines >= most then
      left_out = left_out + 1
    elseif skill.state == 'broken' then
      table.insert(lines, ('- ~~%s~~ %s'):format(skill.name, table.concat(skill.errors, '; ')))
    else
      local about = short(skill.description or '')
      table.insert(lines, about == '' and '- ' .. skill.name or ('- %s: %s'):format(skill.name, about))
    end
  end
  if left_out > 0 then
    table.insert(lines, ('- and %d more: `:Skills list`'):format(left_out))
  end
  return #lines > 0 and lines or { 'There are no skills here.' }
end

return M
