--- All that the plugin remembers.

---@class skills.Why
---@field kind string `path`, `keyword`, `task`, `always`, `required-by`, `user` or `model`
---@field pattern? string what matched
---@field matched? string what it matched

---@class skills.ActiveSkill
---@field name string
---@field path? string its file
---@field description string
---@field why skills.Why[]

---@class skills.ListedSkill
---@field name string
---@field path? string its file; nil for one that comes with the server
---@field description string
---@field argumentHint? string what it takes
---@field userInvocable boolean
---@field state string `active`, `listed`, `hidden`, `shadowed` or `broken`
---@field errors string[]

---@class skills.Hunk
---@field changeId integer
---@field hunkId integer
---@field range lsp.Range the lines as they are
---@field oldText string the lines that stood there before

---@class skills.Model what the next turn asks
---@field name string empty where there is none
---@field label string the same with its provider
---@field problem? string what the person must do before it can answer

---@class skills.State
---@field active table<string, skills.ActiveSkill[]> by the URI of a document
---@field activity? string one line on what the agent is doing; nil while it is idle
---@field answers table<string, { message: string, text: string }> the agent's last message so far, by turn
---@field questions table<string, fun(outcome: table, message?: string)> open questions by their id: what answers them
---@field hunks table<integer, { hunk: skills.Hunk, mark: integer }[]> undecided changes of the agent, by buffer
---@field skills skills.ListedSkill[] all that were found, since somebody last looked
---@field model? skills.Model nil until the server says so
---@field models string[] the models that were listed last
---@field preview? { bufnr: integer, query: table } the preview that was shown last, and what was asked for
return {
  active = {},
  activity = nil,
  answers = {},
  questions = {},
  hunks = {},
  skills = {},
  model = nil,
  models = {},
}
