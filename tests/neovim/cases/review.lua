local expect = require('expect')

local file = 'src/greet.ts'
local patch = {
  'write_patch',
  {
    patches = {
      { op = 'edit', path = file, old_string = '"hi "', new_string = '"hello, "' },
      { op = 'edit', path = file, old_string = '"bye "', new_string = '"farewell, "' },
    },
  },
}

--- Where changes stand, as the person sees them: the line, the sign, and what stood there.
---@param editor Editor
local function shown(editor)
  return editor:run(function()
    local namespace = vim.api.nvim_get_namespaces()['skills.review']
    local seen = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
      local virtual = mark[4].virt_lines
      table.insert(seen, { mark[2] + 1, vim.trim(mark[4].sign_text), virtual and virtual[1][1][1] })
    end
    return seen
  end)
end

---@param editor Editor
---@param count integer
local function wait_for_changes(editor, count)
  editor:wait(count .. ' changes are shown', function(count)
    local namespace = vim.api.nvim_get_namespaces()['skills.review']
    return namespace and #vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, {}) == count
  end, count)
end

---@param editor Editor
---@param model Model
local function edit(editor, model)
  model:play({ { calls = patch }, { says = 'Done.' } })
  editor:open(file)
  editor:skills('ask Mend both')
  editor:wait_for_turns()
  wait_for_changes(editor, 2)
end

---@param editor Editor
local function line(editor)
  return editor:run(function()
    return vim.api.nvim_win_get_cursor(0)[1]
  end)
end

---@type Case[]
return {
  {
    name = 'changes are shown where they stand, with what stood there before',
    run = function(editor, model)
      edit(editor, model)
      expect.equal(shown(editor), { { 2, '▎', '  return "hi " + name;' }, { 6, '▎', '  return "bye " + name;' } })
      -- They stay with their lines while the person types above.
      editor:type('ggOlet above;<Esc>')
      editor:wait_for_text('let above;')
      wait_for_changes(editor, 2)
      expect.equal(shown(editor)[1][1], 3)
      expect.equal(
        editor:run(function()
          return #vim.diagnostic.get(0)
        end),
        0
      )
    end,
  },
  {
    name = 'the cursor moves from change to change, keeps one and takes another back',
    run = function(editor, model)
      edit(editor, model)
      editor:run(function()
        vim.keymap.set('n', ']k', '<Plug>(skills-next-change)')
        vim.keymap.set('n', '[k', '<Plug>(skills-previous-change)')
        vim.keymap.set('n', '<Leader>k', '<Plug>(skills-keep-change)')
        vim.keymap.set('n', '<Leader>K', '<Plug>(skills-undo-change)')
      end)
      editor:type('gg]k')
      expect.equal(line(editor), 2)
      editor:type(']k')
      expect.equal(line(editor), 6)
      editor:type(']k')
      expect.equal(line(editor), 2)
      editor:type('[k')
      expect.equal(line(editor), 6)
      editor:type('\\K')
      editor:wait_for_text('"bye "')
      wait_for_changes(editor, 1)
      editor:type('[k\\k')
      wait_for_changes(editor, 0)
      expect.equal(editor:text(), (editor:on_disk(file):gsub('"hi "', '"hello, "')))
    end,
  },
  {
    name = ':Skills undo and keep take the change at the cursor, those of the file, or all',
    run = function(editor, model)
      edit(editor, model)
      editor:type('gg2j')
      editor:skills('undo hunk')
      expect.contains(
        editor:run(function()
          return _G.person.seen[#_G.person.seen].message
        end),
        'no change of the agent at the cursor'
      )
      editor:type('ggj')
      editor:skills('undo hunk')
      editor:wait_for_text('"hi "')
      wait_for_changes(editor, 1)
      editor:skills('keep file')
      wait_for_changes(editor, 0)
      expect.contains(editor:text(), '"farewell, "')
    end,
  },
  {
    name = 'what the person typed over a change is theirs, and is not taken back',
    run = function(editor, model)
      edit(editor, model)
      editor:type('2Gccmine<Esc>')
      editor:wait_for_text('mine')
      wait_for_changes(editor, 1)
      editor:skills('undo')
      editor:wait_for_text('"bye "')
      expect.contains(editor:text(), 'mine')
    end,
  },
  {
    name = ':Skills review lists all changes, to walk through them as through errors',
    run = function(editor, model)
      edit(editor, model)
      editor:skills('review')
      local list = editor:run(function()
        local list = vim.fn.getqflist({ title = true, items = true })
        return {
          list.title,
          vim.tbl_map(function(item)
            return { item.lnum, item.text }
          end, list.items),
        }
      end)
      expect.equal(list, {
        "The agent's changes",
        { { 2, 'return "hello, " + name;' }, { 6, 'return "farewell, " + name;' } },
      })
      expect.equal(line(editor), 2)
    end,
  },
  {
    name = 'a file that is not open is edited in the editor, and saved because the agent asks for it',
    run = function(editor, model)
      model:play({ { calls = patch }, { says = 'Done.' } })
      editor:open('.claude/skills/deploy/SKILL.md')
      editor:skills('ask Mend both')
      editor:wait_for_turns()
      expect.contains(editor:on_disk(file), '"farewell, "')
      editor:open(file)
      wait_for_changes(editor, 2)
      editor:skills('undo')
      editor:wait_for_text('"bye "')
    end,
  },
}
