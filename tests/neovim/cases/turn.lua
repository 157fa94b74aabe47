local expect = require('expect')

local file = 'src/greet.ts'
local greets = { 'replace_range', { path = file, old_string = '"hi "', new_string = '"hello, "' } }
local reads = { 'read_file_range', { path = file, start_line = 1 } }

--- A turn that reads and edits. What it says before the edit takes about a second to arrive: time to type.
local edits = {
  { says = 'I read the file first.', calls = reads },
  { says = ('The greeting is not the one that was agreed on. '):rep(4), calls = greets, pace = 40 },
  { says = 'The greeting is the agreed one now.' },
}

---@param editor Editor
local function start(editor)
  editor:wait_for_action('^Run skill: greeting')
  editor:take_action('^Run skill: greeting')
end

---@param editor Editor
---@param model Model
local function run_to_the_end(editor, model)
  model:play(edits)
  editor:open(file)
  start(editor)
  editor:wait_for_text('"hello, "')
  editor:wait_for_turns()
end

---@type Case[]
return {
  {
    name = 'a code action runs a skill, whose edit arrives in the buffer and not on the disk',
    run = function(editor, model)
      run_to_the_end(editor, model)
      local before = editor:on_disk(file)
      expect.equal(editor:text(), (before:gsub('"hi "', '"hello, "')))
      expect.contains(before, '"hi "')
      expect.equal(
        editor:run(function()
          return vim.bo.modified
        end),
        true
      )
      -- The model was given the skill, and what it asked to read.
      local requests = model:requests()
      expect.equal(#requests, 3)
      expect.contains(vim.json.encode(requests[1].body.messages), 'Replace every greeting in the file')
      expect.contains(model:tool_result(2), 'export function greet')
    end,
  },
  {
    name = ':Skills undo takes back what a turn did',
    run = function(editor, model)
      run_to_the_end(editor, model)
      editor:run(function()
        vim.cmd.Skills('undo')
      end)
      editor:wait_for_text('"hi "')
      expect.equal(editor:text(), editor:on_disk(file))
    end,
  },
  {
    name = "an agent's edit is one step of Neovim's own undo",
    run = function(editor, model)
      run_to_the_end(editor, model)
      editor:type('u')
      editor:wait_for_text('"hi "')
      expect.equal(editor:text(), editor:on_disk(file))
      editor:type('<C-r>')
      editor:wait_for_text('"hello, "')
    end,
  },
  {
    name = 'what the person types while the model answers survives',
    run = function(editor, model)
      model:play(edits)
      editor:open(file)
      editor:type('Golet before;<Esc>')
      editor:wait_for_text('let before;')
      start(editor)
      model:wait_for_requests(2)
      editor:type('olet meanwhile;<Esc>')
      editor:wait_for_text('"hello, "')
      editor:wait_for_turns()
      local agreed = editor:on_disk(file):gsub('"hi "', '"hello, "')
      expect.equal(editor:text(), agreed .. 'let before;\nlet meanwhile;\n')
    end,
  },
  {
    name = 'it survives in a file that was never changed before, and without a pause in the typing',
    run = function(editor, model)
      model:play(edits)
      editor:open(file)
      start(editor)
      model:wait_for_requests(2)
      editor:type('Golet ')
      local typed = 0
      vim.wait(editor.patience, function()
        editor:type('x')
        typed = typed + 1
        return editor:run(function()
          return _G.person.turns > 0
        end)
      end, 15)
      editor:type('<Esc>')
      local agreed = editor:on_disk(file):gsub('"hi "', '"hello, "')
      editor:wait_for_text('let ' .. ('x'):rep(typed))
      expect.equal(editor:text(), agreed .. 'let ' .. ('x'):rep(typed) .. '\n')
    end,
  },
  {
    name = 'it survives there without the plugin too, where Neovim overwrites by itself',
    run = function(editor, model)
      model:play(edits)
      editor:run(function()
        local name = 'workspace/applyEdit'
        vim.lsp.config('skills_ls', { handlers = { [name] = vim.lsp.handlers[name] } })
      end)
      editor:open(file)
      start(editor)
      model:wait_for_requests(2)
      editor:type('Golet meanwhile;<Esc>')
      editor:wait_for_text('"hello, "')
      editor:wait_for_turns()
      local agreed = editor:on_disk(file):gsub('"hi "', '"hello, "')
      expect.equal(editor:text(), agreed .. 'let meanwhile;\n')
    end,
  },
  {
    name = 'the model reads and edits the text of a new buffer that was never saved',
    run = function(editor, model)
      local fresh = 'src/fresh.ts'
      model:play({
        { calls = { 'read_file_range', { path = fresh, start_line = 1 } } },
        { calls = { 'replace_range', { path = fresh, old_string = 'unsaved', new_string = 'still unsaved' } } },
        { says = 'Done.' },
      })
      editor:open(fresh)
      editor:type('iexport const greeting = "unsaved";<Esc>')
      editor:wait_for_text('"unsaved"')
      start(editor)
      editor:wait_for_text('"still unsaved"')
      editor:wait_for_turns()
      expect.contains(model:tool_result(2), '1: export const greeting = "unsaved";')
      expect.equal(editor:on_disk(fresh), nil)
    end,
  },
  {
    name = ':Skills ask asks the agent in the words of the person, about the lines they chose',
    run = function(editor, model)
      model:play({ { says = 'It greets.' } })
      editor:open(file)
      editor:run(function()
        vim.cmd('1,3Skills ask What does this | do?')
      end)
      editor:wait_for_turns()
      expect.contains(vim.json.encode(model:requests()[1].body.messages), 'What does this | do?')
      expect.contains(
        editor:run(function()
          return vim.api.nvim_exec2('messages', { output = true }).output
        end),
        'It greets.'
      )
    end,
  },
  {
    name = ':Skills transcript opens what was said and done, served by the same server',
    run = function(editor, model)
      run_to_the_end(editor, model)
      editor:run(function()
        vim.cmd.Skills('transcript')
      end)
      editor:wait_for_text('The greeting is the agreed one now.')
      expect.contains(editor:text(), 'replace_range')
      editor:wait('the server attaches to the transcript', function()
        return #vim.lsp.get_clients({ name = 'skills_ls', bufnr = 0 }) == 1
      end)
      expect.equal(
        editor:run(function()
          return #vim.lsp.get_clients({ name = 'skills_ls' })
        end),
        1
      )
    end,
  },
  {
    name = 'the code action "Ask the agent…" asks the person for the text',
    run = function(editor, model)
      model:play({ { says = 'It greets.' } })
      editor:open(file)
      editor:run(function()
        vim.ui.input = function(_, on_confirm)
          on_confirm('What is it for?')
        end
      end)
      editor:wait_for_action('^Ask the agent')
      editor:take_action('^Ask the agent')
      editor:wait_for_turns()
      expect.contains(vim.json.encode(model:requests()[1].body.messages), 'What is it for?')
    end,
  },
  {
    name = 'one code action offers all other skills, and asks for what the chosen one takes',
    run = function(editor, model)
      model:play({ { says = 'It is deployed.' } })
      editor:open(file)
      editor:run(function()
        _G.prompts = {}
        vim.ui.input = function(options, on_confirm)
          table.insert(_G.prompts, options.prompt)
          on_confirm('staging')
        end
      end)
      editor:will_choose('^deploy$')
      editor:wait_for_action('^Run .*skill…')
      editor:take_action('^Run .*skill…')
      editor:wait_for_turns()
      expect.equal(
        editor:run(function()
          return _G.prompts
        end),
        { '/deploy [environment]: ' }
      )
      expect.contains(vim.json.encode(model:requests()[1].body.messages), 'staging')
    end,
  },
  {
    name = 'a prompt completes the names of skills, and what each takes',
    run = function(editor)
      editor:open(file)
      editor:run(function()
        vim.ui.input = function(options)
          _G.completion = options.completion:match('^customlist,v:lua%.(.*)$')
        end
        vim.cmd('Skills ask')
      end)
      editor:wait('the prompt is shown', function()
        return _G.completion
      end)
      local function complete(line)
        return editor:run(function(line)
          return vim.fn.luaeval(_G.completion .. '(_A)', line)
        end, line)
      end
      expect.equal(complete('/dep'), { '/deploy' })
      expect.equal(complete('/deploy '), { '/deploy [environment]' })
      expect.equal(complete('what is /dep'), {})
    end,
  },
}
