--- A real Neovim in a process of its own, driven over its RPC: what a person types goes through its main loop.

---@class Editor
---@field channel integer
---@field workspace string
local Editor = {}
Editor.__index = Editor

--- Long enough for a busy machine; nothing is ever waited for longer than it takes.
Editor.patience = 180000

--- What a person would put into their configuration, and a stand-in for their eyes and hands.
local function configure(binary, settings)
  local config = { cmd = { binary }, settings = { skills = settings } }
  if vim.lsp.config then
    vim.lsp.config('skills_ls', config)
    vim.lsp.enable('skills_ls')
  else
    config.name, config.root_dir = 'skills_ls', vim.uv.cwd()
    vim.api.nvim_create_autocmd('BufReadPost', {
      callback = function()
        vim.lsp.start(config)
      end,
    })
  end

  -- Everything that the person is asked. `choose` is the text of the answer that they will give, by a pattern.
  _G.person = { asked = {}, choose = nil, seen = {}, turns = 0 }
  vim.ui.select = function(items, options, on_choice)
    local format = options.format_item or tostring
    local labels = vim.tbl_map(format, items)
    -- What the person sees meanwhile: all windows of the screen.
    local shown = vim.tbl_map(function(window)
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
    end, vim.api.nvim_tabpage_list_wins(0))
    table.insert(_G.person.asked, {
      prompt = options.prompt,
      labels = labels,
      shown = table.concat(shown, '\n'),
    })
    for index, label in ipairs(labels) do
      if _G.person.choose and label:find(_G.person.choose) then
        on_choice(items[index], index)
        return
      end
    end
    on_choice(nil, nil)
  end
  vim.notify = function(message, level)
    table.insert(_G.person.seen, { message = message, level = level })
  end
  vim.api.nvim_create_autocmd('LspProgress', {
    pattern = 'end',
    callback = function()
      _G.person.turns = _G.person.turns + 1
    end,
  })
end

---@param options { workspace: string, settings: table, environment: table<string, string> }
---@return Editor
function Editor.start(options)
  local program = assert(vim.env.SKILLS_TEST_NVIM, 'SKILLS_TEST_NVIM names the Neovim to drive')
  local plugin = vim.fs.joinpath(vim.g.repository, 'editors/neovim')
  local channel = vim.fn.jobstart({
    program, '--embed', '--headless', '--clean', '-n', '--cmd', 'set runtimepath^=' .. vim.fn.fnameescape(plugin),
  }, { rpc = true, cwd = options.workspace, env = options.environment })
  local self = setmetatable({ channel = channel, workspace = options.workspace }, Editor)
  self:run(configure, vim.env.SKILLS_LS, options.settings)
  return self
end

--- Runs a function inside the editor. It has no upvalues; its arguments and result are plain data.
---@param body function
---@param ... any
function Editor:run(body, ...)
  return vim.rpcrequest(self.channel, 'nvim_exec_lua', [[
    local body, arguments, count = ...
    return loadstring(vim.base64.decode(body))(unpack(arguments, 1, count))
  ]], { vim.base64.encode(string.dump(body)), { ... }, select('#', ...) })
end

--- Waits until a function inside the editor returns something true, and returns it.
---@param what string what is awaited, for the message when it never comes
---@param body function
---@param ... any
function Editor:wait(what, body, ...)
  local arguments, count = { ... }, select('#', ...)
  local result
  local came = vim.wait(self.patience, function()
    result = self:run(body, unpack(arguments, 1, count))
    return result ~= nil and result ~= vim.NIL and result ~= false
  end, 10)
  if not came then
    error(('never came: %s\n%s'):format(what, self:describe()), 2)
  end
  return result
end

--- What a reader of a failed test wants to see.
function Editor:describe()
  return self:run(function()
    return vim.inspect({
      text = vim.api.nvim_buf_get_lines(0, 0, -1, false),
      clients = vim.tbl_map(function(client)
        return client.name
      end, vim.lsp.get_clients()),
      diagnostics = vim.tbl_map(function(diagnostic)
        return diagnostic.message
      end, vim.diagnostic.get(0)),
      person = _G.person,
      messages = vim.api.nvim_exec2('messages', { output = true }).output,
    })
  end)
end

--- Types keys as a person does, in the notation of mappings.
---@param keys string
function Editor:type(keys)
  vim.rpcrequest(self.channel, 'nvim_input', keys)
end

--- Opens a file of the workspace, and waits for the server.
---@param path string
function Editor:open(path)
  self:run(function(path)
    vim.cmd.edit(vim.fn.fnameescape(path))
  end, vim.fs.joinpath(self.workspace, path))
  self:wait('the server attaches to ' .. path, function()
    local client = vim.lsp.get_clients({ name = 'skills_ls', bufnr = 0 })[1]
    return client and client.initialized
  end)
end

--- The text of the current buffer.
---@return string
function Editor:text()
  return self:run(function()
    return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n'
  end)
end

--- Waits until the current buffer contains a text.
---@param text string
function Editor:wait_for_text(text)
  self:wait(('the text %q'):format(text), function(text)
    return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'):find(text, 1, true)
  end, text)
end

--- Runs `:Skills`.
---@param arguments string
function Editor:skills(arguments)
  self:run(function(arguments)
    vim.cmd('Skills ' .. arguments)
  end, arguments)
end

--- The text of a buffer by a part of its name, whether a window shows it or not.
---@param name string
---@return string? text
function Editor:buffer(name)
  return self:run(function(name)
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_get_name(bufnr):find(name, 1, true) then
        return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n')
      end
    end
  end, name)
end

--- Waits until a buffer contains a text.
---@param name string a part of the buffer's name
---@param text string
---@return string text all of it
function Editor:wait_for_buffer(name, text)
  local found
  local came = vim.wait(self.patience, function()
    found = self:buffer(name)
    return type(found) == 'string' and found:find(text, 1, true) ~= nil
  end, 10)
  if not came then
    error(('never came: %q in %s, which says\n%s\n%s'):format(text, name, found, self:describe()), 2)
  end
  return found
end

--- Says how the person will answer the questions to come.
---@param pattern? string nil: not at all
function Editor:will_choose(pattern)
  self:run(function(pattern)
    _G.person.choose = pattern ~= vim.NIL and pattern or nil
  end, pattern or vim.NIL)
end

--- Takes a code action by its title, at the cursor or on the diagnostics there.
---@param title string a pattern
function Editor:take_action(title)
  self:run(function(title)
    vim.lsp.buf.code_action({
      apply = true,
      filter = function(action)
        return action.title:find(title) ~= nil
      end,
    })
  end, title)
end

--- Waits until a code action is offered at the cursor, for the server offers nothing before it knows its skills.
---@param title string a pattern
function Editor:wait_for_action(title)
  self:wait('the code action ' .. title, function(title)
    local client = vim.lsp.get_clients({ name = 'skills_ls', bufnr = 0 })[1]
    local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
    params.context = { diagnostics = {} }
    local reply = client:request_sync('textDocument/codeAction', params, 60000, 0)
    for _, action in ipairs(reply and reply.result or {}) do
      if action.title:find(title) then
        return true
      end
    end
  end, title)
end

--- Waits until as many turns have ended.
---@param count? integer 1 without it
function Editor:wait_for_turns(count)
  self:wait('the end of the turn', function(count)
    return _G.person.turns >= count
  end, count or 1)
end

--- What stands on the disk.
---@param path string
---@return string? text nil where there is no such file
function Editor:on_disk(path)
  local file = io.open(vim.fs.joinpath(self.workspace, path), 'rb')
  if not file then
    return nil
  end
  local text = file:read('*a')
  file:close()
  return text
end

--- Ends the editor, whatever state it is in.
function Editor:stop()
  pcall(vim.rpcnotify, self.channel, 'nvim_command', 'qall!')
  if vim.fn.jobwait({ self.channel }, 30000)[1] == -1 then
    vim.fn.jobstop(self.channel)
  end
end

return Editor
