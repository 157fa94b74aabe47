local expect = require('expect')

local file = 'src/greet.ts'
local greets = { 'replace_range', { path = file, old_string = '"hi "', new_string = '"hello, "' } }
local reads = { 'read_file_range', { path = file, start_line = 1 } }
local chat = 'skills://chat'

---@param editor Editor
local function wait_for_greeting(editor)
  editor:wait('the skill becomes active', function()
    return #require('skills').active() == 1
  end)
end

--- All that the person was told in messages.
---@param editor Editor
local function told(editor)
  return editor:run(function()
    local seen = vim.tbl_map(function(seen)
      return seen.message
    end, _G.person.seen)
    return table.concat(seen, '\n') .. vim.api.nvim_exec2('messages', { output = true }).output
  end)
end

---@type Case[]
return {
  {
    name = 'the model that answers is named, and what is missing where there is none',
    run = function(editor)
      editor:open(file)
      wait_for_greeting(editor)
      editor:skills('chat')
      editor:wait_for_buffer(chat, 'Model: `anthropic claude')
      editor:run(function()
        local settings = { skills = { model = { provider = 'editor' } } }
        vim.lsp.get_clients({ name = 'skills_ls' })[1]:notify('workspace/didChangeConfiguration', { settings = settings })
      end)
      editor:wait_for_buffer(chat, 'No model: model.provider is `editor`')
      expect.contains(
        editor:run(function()
          return require('skills').status(vim.fn.bufnr('src/greet.ts'))
        end),
        'no model'
      )
    end,
  },
  {
    name = 'the conversation opens with the compact list of skills: which are active, and why',
    run = function(editor)
      editor:open(file)
      wait_for_greeting(editor)
      editor:skills('chat')
      editor:wait_for_buffer(chat, '- **greeting** is active: src/**/*.ts')
      local text = editor:wait_for_buffer(chat, '- deploy: Deploys the service.')
      expect.contains(text, '`x` stop')
      expect.equal(
        editor:run(function()
          return vim.bo.modifiable
        end),
        false
      )
    end,
  },
  {
    name = 'the conversation streams at the side, with every call of a tool, and leaves the cursor alone',
    run = function(editor, model)
      model:play({
        { says = 'I read the file first.', calls = reads },
        { says = ('The greeting is not the one that was agreed on. '):rep(4), calls = greets, pace = 40 },
        { says = 'The greeting is the agreed one now.' },
      })
      editor:open(file)
      editor:skills('ask Mend the greeting')
      editor:wait_for_buffer(chat, 'The greeting is not')
      expect.equal(
        editor:run(function()
          return { _G.person.turns, vim.fn.expand('%:t') }
        end),
        { 0, 'greet.ts' }
      )
      editor:wait_for_turns()
      local text = editor:wait_for_buffer(chat, '*Done')
      for _, part in ipairs({
        '## You\n\nMend the greeting\n',
        'I read the file first.\n',
        '- ✓ `read_file_range`',
        '- ✓ `replace_range`',
        '  - modify src/greet.ts',
        'The greeting is the agreed one now.',
      }) do
        expect.contains(text, part)
      end
      assert(not text:find('- … ', 1, true), 'a call looks as if it still ran: ' .. text)
      editor:skills('chat')
      editor:type('u')
      editor:wait('a key there takes the turn back', function()
        return table.concat(vim.fn.getbufline('greet.ts', 1, '$')):find('"hi "')
      end)
    end,
  },
  {
    name = ':Skills steer reaches the turn that runs',
    run = function(editor, model)
      model:play({
        { says = ('I read it slowly. '):rep(10), calls = reads, pace = 40 },
        { asked = '[steering]', says = 'I mind the tests.' },
      })
      editor:open(file)
      editor:skills('ask Mend the greeting')
      model:wait_for_requests(1)
      editor:skills('steer mind the tests')
      editor:wait_for_turns()
      expect.contains(vim.json.encode(model:requests()[2].body.messages), 'mind the tests')
      editor:wait_for_buffer(chat, 'I mind the tests.')
      expect.equal(#model:requests(), 2)
    end,
  },
  {
    name = 'a prompt that is given while a turn runs waits for its end',
    run = function(editor, model)
      model:play({
        { says = ('This takes a moment. '):rep(10), pace = 40 },
        { asked = 'the second', says = 'Here is the second answer.' },
      })
      editor:open(file)
      editor:skills('ask the first')
      model:wait_for_requests(1)
      editor:skills('ask the second')
      editor:wait_for_buffer(chat, '> Waiting: the second')
      editor:wait_for_turns(2)
      editor:wait_for_buffer(chat, 'Here is the second answer.')
    end,
  },
  {
    name = ':Skills sessions brings back what was said in an earlier one',
    run = function(editor, model)
      model:play({ { says = 'It greets people.' } })
      editor:open(file)
      editor:skills('ask What is this?')
      editor:wait_for_turns()
      editor:will_choose('^New session')
      editor:skills('sessions')
      editor:wait('the conversation is empty', function()
        return not table.concat(vim.fn.getbufline('skills://chat', 1, '$'), '\n'):find('It greets')
      end)
      editor:will_choose('^What is this')
      editor:skills('sessions')
      editor:wait_for_buffer(chat, 'It greets people.')
      local asked = editor:run(function()
        return _G.person.asked
      end)
      expect.equal(asked[#asked].labels[1], 'New session')
    end,
  },
  {
    name = ':Skills model offers the models of the endpoint, and takes a name',
    run = function(editor, model)
      model:play({ { says = 'Yes?' } })
      editor:open(file)
      editor:will_choose('claude')
      editor:skills('model')
      editor:wait('the person is asked', function()
        return #_G.person.asked == 1
      end)
      editor:skills('model anthropic:claude-opus-4-5')
      editor:skills('ask Who are you?')
      editor:wait_for_turns()
      expect.equal(model:requests()[1].body.model, 'claude-opus-4-5')
    end,
  },
  {
    name = ':Skills preview shows what a skill would say, and asks no model',
    run = function(editor, model)
      model:play({})
      editor:open(file)
      wait_for_greeting(editor)
      editor:skills('preview greeting')
      editor:wait_for_text('Replace every greeting in the file')
      expect.equal(#model:requests(), 0)
    end,
  },
  {
    name = ':Skills preview follows what is typed in the skill',
    run = function(editor, model)
      model:play({})
      editor:open('.claude/skills/greeting/SKILL.md')
      editor:skills('preview')
      editor:wait('the preview', function()
        return vim.bo.buftype == 'nofile' and vim.fn.search('Replace every greeting in the file') > 0
      end)
      editor:run(function()
        local skill = vim.fn.bufnr('greeting/SKILL.md')
        vim.api.nvim_buf_set_lines(skill, -1, -1, false, { 'Leave farewells alone.' })
      end)
      editor:wait('the new line in the preview', function()
        return vim.bo.buftype == 'nofile' and vim.fn.search('Leave farewells alone') > 0
      end)
      expect.equal(#model:requests(), 0)
    end,
  },
  {
    name = 'a prompt that names no file is about the one that the person looks at',
    run = function(editor, model)
      model:play({ { says = 'It greets.' } })
      editor:open(file)
      wait_for_greeting(editor)
      editor:run(function()
        vim.api.nvim_win_set_cursor(0, { 2, 0 })
        vim.api.nvim_exec_autocmds('CursorHold', {})
        local client = vim.lsp.get_clients({ name = 'skills_ls' })[1]
        client:request('workspace/executeCommand', { command = 'skills.server.ask', arguments = { 'What is this?' } })
      end)
      editor:wait_for_turns()
      local given = vim.json.encode(model:requests()[1].body.messages)
      expect.contains(given, 'looking at ' .. file .. ', with the cursor in line 2')
    end,
  },
  {
    name = ':Skills new makes a skill without a mistake in it',
    run = function(editor)
      editor:open(file)
      wait_for_greeting(editor)
      editor:skills('new refund-checks')
      editor:wait_for_text('name: refund-checks')
      editor:type(':write<CR>')
      editor:wait('it is a file', function()
        return vim.fn.filereadable(vim.api.nvim_buf_get_name(0)) == 1
      end)
      expect.equal(
        editor:run(function()
          local result = vim.system({ vim.lsp.config.skills_ls.cmd[1], 'check', vim.api.nvim_buf_get_name(0) }):wait()
          return result.code
        end),
        0
      )
    end,
  },
  {
    name = ':Skills list says what there is, broken skills with what is wrong',
    run = function(editor)
      editor:open('.agents/skills/broken/SKILL.md')
      editor:type('ino frontmatter<Esc>:write ++p<CR>')
      editor:skills('list')
      editor:wait_for_text('- ~~broken~~ ')
      expect.contains(editor:text(), '- greeting: Greets')
    end,
  },
  {
    name = 'subcommands, skills and answers are completed',
    run = function(editor)
      editor:open(file)
      wait_for_greeting(editor)
      editor:wait('the skills are known', function()
        return #require('skills.state').skills > 0
      end)
      local complete = function(line)
        return vim.fn.getcompletion(line, 'cmdline')
      end
      expect.equal(editor:run(complete, 'Skills s'), { 'sessions', 'steer', 'stop' })
      expect.equal(editor:run(complete, 'Skills run g'), { 'greeting' })
      expect.equal(editor:run(complete, 'Skills run dep'), { 'deploy' })
      expect.equal(editor:run(complete, 'Skills undo '), { 'all', 'file', 'hunk' })
      editor:skills('nonsense')
      expect.contains(told(editor), 'no subcommand "nonsense"')
    end,
  },
}
