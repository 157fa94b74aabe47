local expect = require('expect')

local file = 'src/greet.ts'

--- Runs a skill that edits, and returns the one question that the person was asked.
---@param editor Editor
---@param model Model
---@return { prompt: string, labels: string[] }
local function run(editor, model)
  model:play({
    { calls = { 'replace_range', { path = file, old_string = '"hi "', new_string = '"hello, "' } } },
    { says = 'I stop here.' },
  })
  editor:open(file)
  editor:wait_for_action('^Run skill: greeting')
  editor:take_action('^Run skill: greeting')
  editor:wait_for_turns()
  local asked = editor:run(function()
    return _G.person.asked
  end)
  expect.equal(#asked, 1)
  return asked[1]
end

---@param editor Editor
local function nothing_was_written(editor)
  expect.contains(editor:on_disk(file), '"hi "')
  expect.equal(editor:text(), editor:on_disk(file))
end

---@type Case[]
return {
  {
    name = 'in a folder that the person does not trust nothing is written, and the model is told',
    untrusted = true,
    run = function(editor, model)
      editor:will_choose('^Not now')
      run(editor, model)
      nothing_was_written(editor)
      expect.contains(model:last_tool_result(), 'not trusted')
    end,
  },
  {
    name = 'a question without an answer is no permission',
    untrusted = true,
    run = function(editor, model)
      run(editor, model)
      nothing_was_written(editor)
    end,
  },
  {
    name = 'once the person trusts the folder the edit arrives',
    untrusted = true,
    run = function(editor, model)
      editor:will_choose('^Trust')
      run(editor, model)
      expect.contains(editor:text(), '"hello, "')
    end,
  },
  {
    name = ':Skills trust is an answer before the question',
    untrusted = true,
    run = function(editor, model)
      model:play({
        { calls = { 'replace_range', { path = file, old_string = '"hi "', new_string = '"hello, "' } } },
        { says = 'Done.' },
      })
      editor:open(file)
      editor:run(function()
        vim.cmd.Skills('trust')
      end)
      editor:wait_for_action('^Run skill: greeting')
      editor:take_action('^Run skill: greeting')
      editor:wait_for_turns()
      expect.contains(editor:text(), '"hello, "')
    end,
  },
  {
    name = 'a person who wants to see edits first is shown them, and may decline',
    settings = { permissions = { mode = 'ask' } },
    run = function(editor, model)
      editor:will_choose('^Reject')
      local question = run(editor, model)
      expect.contains(question.prompt, file)
      expect.contains(question.shown, 'hello, ')
      expect.contains(question.shown, '-  return "hi " + name;')
      expect.contains(question.shown, '+  return "hello, " + name;')
      -- The question takes its details off the screen.
      expect.equal(
        editor:run(function()
          return vim.iter(vim.api.nvim_list_bufs()):any(function(bufnr)
            return vim.bo[bufnr].filetype == 'diff'
          end)
        end),
        false
      )
      nothing_was_written(editor)
      expect.contains(model:last_tool_result(), 'not allowed')
    end,
  },
  {
    name = 'a person who wants to see edits first may allow them',
    settings = { permissions = { mode = 'ask' } },
    run = function(editor, model)
      editor:will_choose('^Allow')
      run(editor, model)
      expect.contains(editor:text(), '"hello, "')
    end,
  },
  {
    name = 'a question that takes words is answered in those of the person',
    run = function(editor, model)
      model:play({
        { calls = { 'ask_person', { question = 'Which greeting?', choices = { 'hello', 'hey' } } } },
        { says = 'Good.' },
      })
      editor:open(file)
      editor:will_choose('^Answer in your own words')
      editor:run(function()
        vim.ui.input = function(_, on_confirm)
          on_confirm('good morning')
        end
      end)
      editor:skills('ask Mend it')
      editor:wait_for_turns()
      expect.contains(model:last_tool_result(), 'good morning')
    end,
  },
}
