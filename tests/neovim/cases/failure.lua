local expect = require('expect')

local file = 'src/greet.ts'

---@type Case[]
return {
  {
    name = ':Skills stop stops a turn in the middle, and nothing is written',
    run = function(editor, model)
      model:play({
        {
          says = ('This takes very long. '):rep(100),
          calls = { 'replace_range', { path = file, old_string = '"hi "', new_string = '"hello, "' } },
          pace = 50,
        },
        { says = 'Nobody should ask for this.' },
      })
      editor:open(file)
      editor:wait_for_action('^Run skill: greeting')
      editor:take_action('^Run skill: greeting')
      model:wait_for_requests(1)
      editor:run(function()
        vim.cmd.Skills('stop')
      end)
      editor:wait_for_turns()
      expect.equal(editor:text(), editor:on_disk(file))
      expect.equal(#model:requests(), 1)
    end,
  },
  {
    name = 'a server that dies takes no text with it, and can be started again',
    run = function(editor)
      editor:open(file)
      editor:type('Golet unsaved;<Esc>')
      editor:wait_for_text('let unsaved;')
      editor:run(function()
        for _, child in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
          local process = vim.api.nvim_get_proc(child)
          if process and process.name:find('skills%-ls') then
            vim.uv.kill(child, 'sigkill')
          end
        end
      end)
      editor:wait('the client notices', function()
        return #vim.lsp.get_clients({ name = 'skills_ls' }) == 0
      end)
      expect.equal(editor:text(), editor:on_disk(file) .. 'let unsaved;\n')
      editor:run(function()
        vim.lsp.enable('skills_ls')
      end)
      editor:wait('the skill is active again', function()
        return #require('skills').active() == 1
      end)
      expect.equal(editor:text(), editor:on_disk(file) .. 'let unsaved;\n')
    end,
  },
}
