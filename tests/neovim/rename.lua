--- A task of several files, for any editor: a rename in ten of them, and a run of the tests.
local rename = { count = 10 }

---@param number integer
function rename.name(number)
  return ('src/part%d.ts'):format(number)
end

---@param number integer
---@param called string
function rename.text(number, called)
  return ('import { %s } from "./names";\n\nexport const part%d = %s("%d");\n'):format(called, number, called, number)
end

--- The tests of the workspace: no part has the old name, all have the new one, and what was typed is there.
local check = [[
! grep -l 'label' src/part*.ts || exit 1
test "$(grep -l 'caption("' src/part*.ts | wc -l)" -eq 10 || exit 2
grep -q 'typed by a person' src/part1.ts || exit 3
echo all ten parts are right
]]

--- The workspace by path.
---@return table<string, string>
function rename.files()
  local files = { ['check.sh'] = check }
  for number = 1, rename.count do
    files[rename.name(number)] = rename.text(number, 'label')
  end
  return files
end

--- What the model does: each file is read and then patched in two places; before the tests it speaks for a while.
---@return Answer[]
function rename.answers()
  local all = {}
  for number = 1, rename.count do
    local path = rename.name(number)
    local function patch(old, new)
      return { op = 'edit', path = path, old_string = old, new_string = new }
    end
    table.insert(all, { calls = { 'read_file_range', { path = path, start_line = 1 } } })
    table.insert(all, {
      says = 'Renaming it everywhere, one file after the other, while you go on. ',
      calls = { 'write_patch', { patches = { patch('{ label }', '{ caption }'), patch('= label(', '= caption(') } } },
      pace = 10,
    })
  end
  table.insert(all, {
    says = ('All parts are renamed; now the tests. '):rep(6),
    calls = { 'run_shell', { argv = { 'sh', 'check.sh' } } },
    pace = 40,
  })
  table.insert(all, { says = 'All parts call it caption now, and the tests pass.' })
  return all
end

return rename
