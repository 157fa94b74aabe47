--- The model endpoint: aimock, an implementation of the providers' wire formats that this project did not write.

---@class Model
---@field url string
---@field process vim.SystemObj
local Model = {}
Model.__index = Model

local patience = require('editor').patience

---@return Model
function Model.start()
  local program = assert(vim.env.SKILLS_TEST_MODEL, 'SKILLS_TEST_MODEL names the model endpoint')
  -- It wants at least one answer to start with; each test brings its own.
  local answers = vim.fn.tempname() .. '.json'
  local start = { fixtures = { { match = { userMessage = 'unused' }, response = { content = 'unused' } } } }
  vim.fn.writefile({ vim.json.encode(start) }, answers)
  local output, url = '', nil
  local process = vim.system({ program, '--port', '0', '--fixtures', answers, '--strict' }, {
    text = true,
    stdout = function(_, data)
      output = output .. (data or '')
      url = output:match('listening on (http://[%d.:]+)')
    end,
  })
  if not vim.wait(patience, function()
    return url ~= nil
  end, 10) then
    error('the model endpoint did not start:\n' .. output)
  end
  return setmetatable({ url = url, process = process }, Model)
end

--- Speaks to the endpoint's control interface. HTTP 1.0, so that the reply ends where the connection does.
---@param method string
---@param path string
---@param body? table
---@return table
function Model:call(method, path, body)
  local host, port = self.url:match('^http://([%d.]+):(%d+)$')
  local content = body and vim.json.encode(body) or ''
  local request = ('%s /__aimock%s HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s')
    :format(method, path, #content, content)
  local socket, reply, ended = assert(vim.uv.new_tcp()), '', nil
  socket:connect(host, tonumber(port), function(err)
    ended = err
    socket:write(request)
    socket:read_start(function(read_err, data)
      reply = reply .. (data or '')
      ended = read_err or (not data and 'closed') or nil
    end)
  end)
  vim.wait(patience, function()
    return ended ~= nil
  end, 5)
  socket:close()
  local status, answer = reply:match('^HTTP/%S+ (%d+).-\r\n\r\n(.*)$')
  assert(status == '200', ('%s %s: %s\n%s'):format(method, path, ended, reply))
  return vim.json.decode(answer)
end

---@class Answer
---@field says? string
---@field calls? [string, table] a tool and its arguments
---@field asked? string the answer is given when the person's last words contain this, whatever came before
---@field told? string the answer is given only when the last tool result contains this
---@field pace? integer milliseconds between two pieces of the stream

--- Sets what the model answers, one request after the other. Each answer but the first is given only to a request that
--- brings the result of the tool call before it.
---@param answers Answer[]
function Model:play(answers)
  self:call('POST', '/reset')
  local fixtures = {}
  for index, answer in ipairs(answers) do
    local match = answer.asked and { userMessage = answer.asked }
      or index == 1 and { hasToolResult = false }
      or { toolCallId = 'call_' .. index - 1, toolResultContains = answer.told }
    local calls = answer.calls
      and { { id = 'call_' .. index, name = answer.calls[1], arguments = vim.json.encode(answer.calls[2]) } }
    -- The first that fits is the answer.
    table.insert(fixtures, answer.asked and 1 or #fixtures + 1, {
      match = match,
      response = { content = answer.says, toolCalls = calls },
      latency = answer.pace,
      chunkSize = 8,
    })
  end
  self:call('POST', '/fixtures', { fixtures = fixtures })
end

--- The requests so far, as the endpoint understood them.
---@return table[]
function Model:requests()
  return vim.tbl_filter(function(entry)
    return entry.path:find('/v1/messages', 1, true) ~= nil
  end, self:call('GET', '/journal'))
end

--- Waits until the endpoint has got a number of requests.
---@param count integer
function Model:wait_for_requests(count)
  local came = vim.wait(patience, function()
    return #self:requests() >= count
  end, 20)
  assert(came, ('the model got %d of %d requests'):format(#self:requests(), count))
end

--- The tool result that the last request brought.
---@return string
function Model:last_tool_result()
  return self:tool_result(#self:requests())
end

--- The tool result that a request brought.
---@param index integer
---@return string
function Model:tool_result(index)
  local messages = self:requests()[index].body.messages
  local last = messages[#messages]
  assert(last.role == 'tool', 'the request brought no tool result')
  return last.content
end

function Model:stop()
  self.process:kill('sigterm')
end

return Model
