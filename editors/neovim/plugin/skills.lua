if vim.g.loaded_skills or vim.fn.has('nvim-0.11') == 0 then
  return
end
vim.g.loaded_skills = true

vim.api.nvim_create_user_command('Skills', function(command)
  require('skills.commands').run(command)
end, {
  nargs = '+',
  range = true,
  complete = function(lead, line)
    return require('skills.commands').complete(lead, line)
  end,
  desc = 'Run skills, ask and steer the agent, and review what it changed',
})

for name, map in pairs({
  ['next-change'] = { 'next change of the agent', function(review) review.move(1) end },
  ['previous-change'] = { 'previous change of the agent', function(review) review.move(-1) end },
  ['keep-change'] = { 'keep the change of the agent at the cursor', function(review) review.decide('keep') end },
  ['undo-change'] = { 'take back the change of the agent at the cursor', function(review) review.decide('undo') end },
}) do
  vim.keymap.set('n', ('<Plug>(skills-%s)'):format(name), function()
    map[2](require('skills.review'))
  end, { desc = 'Skills: ' .. map[1] })
end

local group = vim.api.nvim_create_augroup('skills', {})

-- Neovim starts servers when a file type is set, and some files never get one.
vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufFilePost', 'BufWritePost' }, {
  group = group,
  desc = 'Attach skills-ls to files without a type',
  callback = function(event)
    vim.schedule(function()
      if vim.api.nvim_buf_is_valid(event.buf) and vim.bo[event.buf].filetype == '' then
        require('skills.client').attach(event.buf)
      end
    end)
  end,
})

vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorHold', 'LspAttach' }, {
  group = group,
  desc = 'Tell skills-ls where the person looks',
  callback = function(event)
    require('skills.client').focus(event.buf)
  end,
})

vim.api.nvim_create_autocmd('LspProgress', {
  group = group,
  desc = 'Show what the agent is doing',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'skills_ls' then
      require('skills.show').progress(event.data.params)
    end
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  desc = 'Know the skills for completion and for the list above the conversation',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'skills_ls' and #require('skills.state').skills == 0 then
      require('skills.catalog').refresh(require('skills.chat').refresh)
    end
  end,
})

vim.api.nvim_create_autocmd('LspDetach', {
  group = group,
  desc = 'Forget what a server said that is gone',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'skills_ls' then
      require('skills.state').active[vim.uri_from_bufnr(event.buf)] = nil
      require('skills.review').show(event.buf, {})
    end
  end,
})
