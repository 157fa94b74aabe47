local expect = require('expect')

---@param editor Editor
local function wait_for_active(editor, name)
  return editor:wait('the skill ' .. name .. ' becomes active', function(name)
    for _, skill in ipairs(require('skills').active()) do
      if skill.name == name then
        return skill
      end
    end
  end, name)
end

---@type Case[]
return {
  {
    name = 'opening a matching file activates a skill, and says why',
    run = function(editor)
      editor:open('src/greet.ts')
      local skill = wait_for_active(editor, 'greeting')
      expect.equal(skill.why[1].kind, 'path')
      expect.equal(skill.why[1].pattern, 'src/**/*.ts')
      expect.contains(
        editor:run(function()
          return require('skills').status()
        end),
        'skills: 1'
      )
    end,
  },
  {
    name = 'a file that is not on the disk yet activates a skill',
    run = function(editor)
      editor:open('src/new.ts')
      wait_for_active(editor, 'greeting')
      expect.equal(editor:on_disk('src/new.ts'), nil)
    end,
  },
  {
    name = 'a file without a type is seen too',
    run = function(editor)
      editor:open('NOTES')
      expect.equal(
        editor:run(function()
          return vim.bo.filetype
        end),
        ''
      )
    end,
  },
  {
    name = 'a file outside the project is seen by the server of the project',
    run = function(editor)
      editor:open('src/greet.ts')
      editor:run(function()
        vim.cmd.edit(vim.fn.tempname() .. '.md')
      end)
      editor:wait('the server attaches', function()
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
    name = 'an unnamed buffer is seen as soon as it gets a name',
    run = function(editor)
      editor:run(function()
        vim.cmd.enew()
        vim.cmd.file('src/named-later.ts')
      end)
      wait_for_active(editor, 'greeting')
    end,
  },
}
