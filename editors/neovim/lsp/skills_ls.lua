---@brief
--- skills-ls checks SKILL.md files as they are typed, and runs skills as an agent whose edits are the editor's edits.
--- Switch it on with `vim.lsp.enable('skills_ls')`; change any of this with `vim.lsp.config('skills_ls', { … })`.

---@type vim.lsp.Config
return {
  cmd = { 'skills-ls' },
  -- No `filetypes`: the server has to see code too. An open file is what activates a skill, and what an agent reads and
  -- edits. It offers completion, hover and diagnostics for skill files alone, so other languages stay as they are.
  root_dir = function(bufnr, on_dir)
    require('skills.client').root(bufnr, on_dir)
  end,
  reuse_client = function(client, config)
    return require('skills.client').reuse(client, config)
  end,
  capabilities = {
    experimental = {
      skillsAgent = {
        version = 1,
        active = vim.empty_dict(),
        sessionUpdate = vim.empty_dict(),
        permission = vim.empty_dict(),
        changes = vim.empty_dict(),
        save = vim.empty_dict(),
        preview = vim.empty_dict(),
        focus = vim.empty_dict(),
        edits = vim.empty_dict(),
      },
    },
  },
  handlers = require('skills.handlers'),
  commands = {
    -- The code action "Ask the agent…" carries no text: only an editor can ask for it.
    ['skills.server.ask'] = function(command, context)
      local client = vim.lsp.get_client_by_id(context.client_id)
      if client then
        require('skills.client').ask(client, command.arguments or {}, context.bufnr)
      end
    end,
    -- "Run another skill…" names none: the editor has the better list to choose from.
    ['skills.server.run'] = function(command, context)
      local client = vim.lsp.get_client_by_id(context.client_id)
      if client then
        require('skills.client').run(client, command.arguments or {}, context.bufnr)
      end
    end,
  },
}
