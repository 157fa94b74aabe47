local expect = require('expect')

local skill = '.claude/skills/deploy/SKILL.md'

---@param editor Editor
local function wait_for_finding(editor, code)
  return editor:wait('the finding ' .. code, function(code)
    for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
      if diagnostic.source == 'skills-ls' and diagnostic.code == code then
        return diagnostic
      end
    end
  end, code)
end

---@type Case[]
return {
  {
    name = 'a mistake is found at its exact place while it is typed, and the fix mends it',
    run = function(editor)
      editor:open(skill)
      editor:type('3Gccdescription: Use when: deploying<Esc>F:')
      local finding = wait_for_finding(editor, 'unquoted-colon')
      expect.equal(
        { finding.lnum, finding.col, finding.end_lnum, finding.end_col },
        { 2, #'description: Use ', 2, #'description: Use when:' }
      )
      editor:take_action('^Quote')
      editor:wait_for_text('description: "Use when: deploying"')
      editor:wait('the finding goes', function()
        return #vim.diagnostic.get(0) == 0
      end)
    end,
  },
  {
    name = 'field names are completed, with their documentation',
    run = function(editor)
      editor:open(skill)
      editor:run(function()
        vim.o.completeopt = 'menuone,noinsert'
      end)
      editor:type('3Goallowed<C-x><C-o>')
      local item = editor:wait('the completion', function()
        for _, item in ipairs(vim.fn.complete_info({ 'items' }).items) do
          if item.word:find('^allowed%-tools') then
            return item
          end
        end
      end)
      assert(#item.info > 0, 'it comes without documentation: ' .. vim.inspect(item))
      editor:type('<C-y>')
      editor:wait_for_text('allowed-tools:')
    end,
  },
  {
    name = 'a field explains itself on hover',
    run = function(editor)
      editor:open(skill)
      editor:wait('the server offers hover', function()
        return #vim.lsp.get_clients({ bufnr = 0, method = 'textDocument/hover' }) > 0
      end)
      editor:run(function()
        vim.api.nvim_win_set_cursor(0, { 3, 2 })
        vim.lsp.buf.hover()
      end)
      local text = editor:wait('the hover window', function()
        for _, window in ipairs(vim.api.nvim_list_wins()) do
          if vim.api.nvim_win_get_config(window).relative ~= '' then
            local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
            return table.concat(lines, '\n')
          end
        end
      end)
      expect.contains(text, 'description')
    end,
  },
  {
    name = 'a skill is renamed with its folder, and in the files that name it',
    run = function(editor)
      editor:open('.claude/skills/greeting/SKILL.md')
      editor:type('Gothen run /deploy.<Esc>:write<CR>')
      editor:open(skill)
      editor:wait('the server renames', function()
        return #vim.lsp.get_clients({ bufnr = 0, method = 'textDocument/rename' }) > 0
      end)
      editor:run(function()
        vim.api.nvim_win_set_cursor(0, { 2, 8 })
        vim.lsp.buf.rename('roll-out')
      end)
      editor:wait_for_text('name: roll-out')
      editor:wait('the folder has the new name', function()
        return vim.fn.isdirectory('.claude/skills/roll-out') == 1 and vim.fn.isdirectory('.claude/skills/deploy') == 0
      end)
      expect.contains(editor:buffer('greeting/SKILL.md'), 'then run /roll-out.')
    end,
  },
}
