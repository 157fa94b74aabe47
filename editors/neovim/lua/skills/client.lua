--- The running server: which one serves a buffer, where it starts, and how commands reach it.
local M = {}

M.name = 'skills_ls'

--- Folders of skills, which mark the root of a project that is not a repository.
local skill_folders = { ['.agents'] = true, ['.claude'] = true, ['.openhands'] = true, ['.thndrs'] = true }

--- The client that is attached to a buffer; else any, so that commands work from a help window or a terminal.
---@param bufnr? integer
---@return vim.lsp.Client?
function M.find(bufnr)
  return vim.lsp.get_clients({ name = M.name, bufnr = bufnr or 0 })[1] or vim.lsp.get_clients({ name = M.name })[1]
end

--- Finds the folder that the server may work in. Buffers without a file name have no address that a server could
--- tell apart, so they are attached once they get a name.
---@param bufnr integer
---@param on_dir fun(root?: string)
function M.root(bufnr, on_dir)
  local path = vim.api.nvim_buf_get_name(bufnr)
  if path == '' or vim.bo[bufnr].buftype ~= '' or path:match('^%a[%w+.-]+://') then
    return
  end
  -- The home folder has skills too, but it is no project.
  local home = vim.uv.os_homedir()
  local root = vim.fs.root(bufnr, '.git')
    or vim.fs.root(bufnr, function(name, parent)
      return skill_folders[name] ~= nil and parent ~= home
    end)
  local here = vim.uv.cwd()
  if not root and here and here ~= home and vim.startswith(path, here .. '/') then
    root = here
  end
  on_dir(root)
end

--- Whether a running server takes a buffer. One for its folder does; a file that belongs to no folder, such as a
--- transcript, goes to a server that works in one, where there is any.
---@param client vim.lsp.Client
---@param config vim.lsp.ClientConfig
---@return boolean
function M.reuse(client, config)
  if client.name ~= config.name or client:is_stopped() then
    return false
  end
  if config.root_dir then
    return client.root_dir == config.root_dir
  end
  return client.root_dir ~= nil or not vim.iter(vim.lsp.get_clients({ name = M.name })):any(function(other)
    return other.root_dir ~= nil
  end)
end

--- Attaches the server to a buffer that has no file type: `vim.lsp.enable()` waits for one.
---@param bufnr integer
function M.attach(bufnr)
  local enabled = vim.lsp.is_enabled or function(name)
    return vim.lsp._enabled_configs[name] ~= nil
  end
  if not enabled(M.name) or #vim.lsp.get_clients({ name = M.name, bufnr = bufnr }) > 0 then
    return
  end
  local config = vim.deepcopy(vim.lsp.config[M.name])
  local function start(root)
    config.root_dir = root
    vim.lsp.start(config, { bufnr = bufnr, reuse_client = config.reuse_client })
  end
  if type(config.root_dir) == 'function' then
    config.root_dir(bufnr, start)
  else
    start(config.root_dir)
  end
end

--- Tells the server which buffer the person looks at, and where the cursor is: a prompt that names no file, such as one
--- from `skills-ls attach`, is about it.
---@param bufnr integer
function M.focus(bufnr)
  local client = vim.lsp.get_clients({ name = M.name, bufnr = bufnr })[1]
  if not client or bufnr ~= vim.api.nvim_get_current_buf() then
    return
  end
  local cursor = vim.lsp.util.make_position_params(0, client.offset_encoding).position
  client:notify('skills/textDocument/didFocus', {
    textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    selection = { start = cursor, ['end'] = cursor },
  })
end

--- Runs a command of the server, and tells the person what went wrong.
---@param client vim.lsp.Client
---@param command string
---@param arguments any[]
---@param bufnr integer
---@param on_result? fun(result: any)
function M.execute(client, command, arguments, bufnr, on_result)
  vim.validate('command', command, 'string')
  vim.validate('arguments', arguments, 'table')
  client:request('workspace/executeCommand', { command = command, arguments = arguments }, function(err, result)
    if err then
      vim.notify('skills: ' .. err.message, vim.log.levels.ERROR)
    elseif on_result then
      on_result(result)
    end
  end, bufnr)
end

--- Sends a request of the program's own, and tells the person what went wrong.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param on_result fun(result: any)
function M.request(client, method, params, on_result)
  client:request(method, params, function(err, result)
    if err then
      vim.notify('skills: ' .. err.message, vim.log.levels.ERROR)
    else
      on_result(result)
    end
  end)
end

--- Asks the agent; without a text, asks the person for it first.
---@param client vim.lsp.Client
---@param arguments any[] the text, and the place that it is about
---@param bufnr integer
function M.ask(client, arguments, bufnr)
  local text = arguments[1]
  if text and text ~= '' then
    M.execute(client, 'skills.server.ask', arguments, bufnr)
    return
  end
  require('skills.catalog').input('Ask the agent: ', function(input)
    M.execute(client, 'skills.server.ask', { input, unpack(arguments, 2) }, bufnr)
  end)
end

--- Runs a skill; without a name, asks the person which one first.
---@param client vim.lsp.Client
---@param arguments any[] the skill's name, what is typed behind it, and the place that it is about
---@param bufnr integer
function M.run(client, arguments, bufnr)
  local name = arguments[1]
  if name and name ~= '' then
    M.execute(client, 'skills.server.run', arguments, bufnr)
    return
  end
  local catalog = require('skills.catalog')
  local function run(choice, typed)
    M.execute(client, 'skills.server.run', { choice, typed, unpack(arguments, 3) }, bufnr)
  end
  catalog.refresh(function()
    vim.ui.select(catalog.runnable(), { prompt = 'Run skill:' }, function(choice)
      local hint = choice and catalog.hint(choice)
      if hint then
        vim.ui.input({ prompt = ('/%s %s: '):format(choice, hint) }, function(typed)
          if typed then
            run(choice, typed)
          end
        end)
      elseif choice then
        run(choice, arguments[2] or '')
      end
    end)
  end)
end

return M
