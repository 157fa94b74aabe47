local expect = require('expect')

local file = 'src/greet.ts'

---@param editor Editor
---@param model Model
local function run(editor, model)
  model:play({
    { calls = { 'replace_range', { path = file, old_string = '"hi "', new_string = '"hello, "' } } },
    { says = 'I stop here.' },
  })
  editor:open(file)
  editor:wait_for_action('^Run skill: greeting')
  editor:take_action('^Run skill: greeting')
  editor:wait_for_turns()
  expect.equal(
    editor:run(function()
      return #_G.person.asked
    end),
    1
  )
end

---@type Case[]
return {
  {
    name = 'in a folder without trust nothing is written when the person declines, and the model is told',
    settings = { trust = { workspace = false } },
    run = function(editor, model)
      editor:will_choose('^[Rr]eject')
      run(editor, model)
      expect.equal(editor:text(), editor:on_disk(file))
      expect.contains(editor:on_disk(file), '"hi "')
      expect.contains(model:last_tool_result(), 'not')
    end,
  },
  {
    name = 'an unanswered question is no permission',
    settings = { trust = { workspace = false } },
    run = function(editor, model)
      run(editor, model)
      expect.equal(editor:text(), editor:on_disk(file))
    end,
  },
  {
    name = 'once the person trusts the folder the edit arrives',
    settings = { trust = { workspace = false } },
    run = function(editor, model)
      editor:will_choose('^[TtAa][rl]')
      run(editor, model)
      expect.contains(editor:text(), '"hello, "')
    end,
  },
}
