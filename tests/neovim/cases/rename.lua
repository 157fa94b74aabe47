local expect = require('expect')
local rename = require('rename')

---@type Case[]
return {
  {
    name = 'ten files are renamed and tested while the person types in one of them without a pause',
    run = function(editor, model)
      for path, text in pairs(rename.files()) do
        local file = assert(io.open(vim.fs.joinpath(editor.workspace, path), 'wb'))
        file:write(text)
        file:close()
      end
      model:play(rename.answers())
      editor:will_choose('^Allow once')
      -- The last one is open too, in a buffer that nobody looks at.
      editor:open(rename.name(rename.count))
      editor:open(rename.name(1))
      editor:type('Go// typed by a person: ')
      editor:wait_for_text('typed by a person')
      editor:skills('ask Rename label to caption in all parts, and run the tests.')
      local typed = 0
      vim.wait(editor.patience * 4, function()
        editor:type('x')
        typed = typed + 1
        return editor:run(function()
          return _G.person.turns > 0
        end)
      end, 15)
      editor:type('<Esc>')
      local line = '// typed by a person: ' .. ('x'):rep(typed)
      editor:wait_for_text(line)
      expect.equal(editor:text(), rename.text(1, 'caption') .. line .. '\n')
      for number = 2, rename.count do
        expect.equal(editor:on_disk(rename.name(number)), rename.text(number, 'caption'))
      end
      -- The tests saw what was typed: the file was saved before them, and nothing else was asked.
      expect.contains(model:tool_result(#model:requests()), 'all ten parts are right')
      expect.equal(
        editor:run(function()
          return #_G.person.asked
        end),
        1
      )

      editor:skills('undo')
      editor:wait_for_text('label("1")')
      expect.equal(editor:text(), rename.text(1, 'label') .. line .. '\n')
    end,
  },
}
