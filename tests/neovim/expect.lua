--- Comparisons that show both sides.
local M = {}

---@param actual any
---@param expected any
function M.equal(actual, expected)
  if not vim.deep_equal(actual, expected) then
    error(('expected %s\n     got %s'):format(vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

---@param text string?
---@param part string
function M.contains(text, part)
  if not (text and text:find(part, 1, true)) then
    error(('expected %q in %s'):format(part, vim.inspect(text)), 2)
  end
end

return M
