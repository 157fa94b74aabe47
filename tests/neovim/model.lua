--- The model endpoint: aimock, an implementation of the providers' wire formats that this project did not write.

---@class Model
---@field url string
---@field process vim.SystemObj
local Model = {}
Model.__index = Model

---@return Model
function Model.start()
  local program = assert(vim.env.SKILLS_TEST_AIMOCK, 'SKILLS_TEST_AIMOCK names the model endpoint')
  -- It wants at least one answer to start with; each test brings its own.
  local answers = vim.fn.tempname() .. '.json'
  local start = { fixtures = { { match = { userMessage = 'unused' }, response = { content = 'unused' } } } }
  vim.fn.writefile({ vim.json.encode(start) }, answers)
  local output, url = '', nil
  local process = vim.system({ 'node', program, '--port', '0', '--fixtures', answers, '--strict' }, {
    text = true,
    stdout = function(_, data)
      output = output .. (data or '')
      url = output:match('listening on (http://[%d.:]+)')
    end,
  })
  if not vim.wait(15000, function()
    return url ~= nil
  end, 10) then
    error('the model endpoint did not start:\n' .. output)
  end
  return setmetatable({ url = url, process = process }, Model)
end

---@param method string
---@param path string
---@param body? table
---@return table
function Model:call(method, path, body)
  local command = { 'curl', '-sS', '--fail-with-body', '-X', method, self.url .. '/__aimock' .. path }
  if body then
    vim.list_extend(command, { '-H', 'content-type: application/json', '-d', '@-' })
  end
  local result = vim.system(command, { text = true, stdin = body and vim.json.encode(body) }):wait()
  assert(result.code == 0, result.stderr .. result.stdout)
  return vim.json.decode(result.stdout)
end

---@class Answer
---@field says? string
---@field calls? [string, table] a tool and its arguments
---@field told? string the answer is given only when the last tool result contains this
---@field pace? integer milliseconds between two pieces of the stream

--- Sets what the model answers, one request after the other. Each answer but the first is given only to a request that
--- brings the result of the tool call before it.
---@param answers Answer[]
function Model:play(answers)
  self:call('POST', '/reset')
  local fixtures = {}
  for index, answer in ipairs(answers) do
    local match = index == 1 and { hasToolResult = false }
      or { toolCallId = 'call_' .. index - 1, toolResultContains = answer.told }
    local calls = answer.calls
      and { { id = 'call_' .. index, name = answer.calls[1], arguments = vim.json.encode(answer.calls[2]) } }
    table.insert(fixtures, {
      match = match,
      response = { content = answer.says or '', toolCalls = calls },
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
  local came = vim.wait(15000, function()
    return #self:requests() >= count
  end, 20)
  assert(came, ('the model got %d of %d requests'):format(#self:requests(), count))
end

--- The last tool result that the model was given.
---@return string
function Model:last_tool_result()
  local requests = self:requests()
  local messages = requests[#requests].body.messages
  for index = #messages, 1, -1 do
    if messages[index].role == 'tool' then
      return messages[index].content
    end
  end
  error('the model was given no tool result')
end

function Model:stop()
  self.process:kill('sigterm')
end

return Model
