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

---@class skills.State
---@field active table<string, skills.ActiveSkill[]> by the URI of a document
---@field activity? string one line on what the agent is doing; nil while it is idle
---@field answers table<string, { message: string, text: string }> the agent's last message so far, by turn
---@field questions table<string, fun(outcome: table)> open questions by their id: what answers them
return {
  active = {},
  activity = nil,
  answers = {},
  questions = {},
}
