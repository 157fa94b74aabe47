local expect = require('expect')

---@type Case[]
return {
  {
    name = ':checkhealth skills says what is fine, and what to do where it is not',
    run = function(editor)
      editor:open('src/greet.ts')
      local function report()
        return editor:run(function()
          vim.cmd('checkhealth skills')
          return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
        end)
      end
      local text = report()
      expect.contains(text, 'OK skills-ls ')
      expect.contains(text, 'it serves 1 buffers of')
      expect.contains(text, 'OK the key of the model is in `ANTHROPIC_API_KEY`')
      expect.contains(text, 'OK folders: ')
      editor:run(function()
        vim.lsp.config('skills_ls', { cmd = { 'no-such-program' } })
        vim.env.ANTHROPIC_API_KEY = nil
      end)
      text = report()
      expect.contains(text, 'ERROR `no-such-program` is not on PATH')
      expect.contains(text, 'cargo install')
      expect.contains(text, '`ANTHROPIC_API_KEY` is not set')
    end,
  },
  {
    name = ':help skills finds everything: each subcommand, mapping and function, and the tags are up to date',
    run = function(editor)
      local tags = editor:run(function()
        local found = {}
        for _, name in ipairs(vim.fn.getcompletion('Skills ', 'cmdline')) do
          found[':Skills-' .. name] = true
        end
        for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
          if vim.startswith(map.lhs, '<Plug>(skills-') then
            found[map.lhs] = true
          end
        end
        for name in pairs(require('skills')) do
          found['skills.' .. name .. '()'] = true
        end
        local missing = {}
        for tag in pairs(found) do
          if not vim.list_contains(vim.fn.getcompletion(tag, 'help'), tag) then
            table.insert(missing, tag)
          end
        end
        return missing
      end)
      expect.equal(tags, {})
      editor:run(function()
        vim.cmd.help('skills')
      end)
      expect.contains(editor:text(), '*skills.txt*')
      -- A copy gets its tags anew, and they are those that came along.
      expect.equal(
        editor:run(function()
          local folder = vim.fn.expand('%:p:h')
          local copy = vim.fn.tempname()
          vim.fn.mkdir(copy)
          vim.uv.fs_copyfile(folder .. '/skills.txt', copy .. '/skills.txt')
          vim.cmd.helptags(copy)
          return vim.deep_equal(vim.fn.readfile(copy .. '/tags'), vim.fn.readfile(folder .. '/tags'))
        end),
        true
      )
    end,
  },
  {
    name = "the suggested keys shadow none of Neovim's",
    run = function(editor)
      local help = table.concat(vim.fn.readfile(vim.g.repository .. '/editors/neovim/doc/skills.txt'), '\n')
      local keys = vim.iter(help:gmatch("vim%.keymap%.set%('n', '(.-)', '<Plug>")):totable()
      expect.equal(#keys, 4)
      for _, key in ipairs(keys) do
        local taken = editor:run(function(key)
          -- A key that the person's own prefix begins is theirs.
          local is_documented = vim.list_contains(vim.fn.getcompletion(key, 'help'), key)
          return vim.fn.maparg(key, 'n') ~= '' or (is_documented and not vim.startswith(key, '<Leader>'))
        end, key)
        assert(not taken, key .. " is one of Neovim's own keys")
      end
    end,
  },
}
