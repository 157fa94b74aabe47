import {type Disposable, MarkdownString, StatusBarAlignment, ThemeColor, window, workspace} from 'vscode';

import type {Agent} from './agent.ts';

/** Numbers as `12.3K`. */
const SHORT = new Intl.NumberFormat('en', {notation: 'compact', maximumFractionDigits: 1});

/**
 * One item: whether the server runs, how many skills are active here, the model and the conversation's tokens; or what
 * the agent is doing or wants to know.
 */
export function statusBar(agent: Agent): Disposable[] {
  const item = window.createStatusBarItem('skills.status', StatusBarAlignment.Left, 0);
  item.name = 'Skills';
  item.command = 'skills.menu';
  const show = () => {
    const {text, label, problem} = status(agent);
    item.text = text;
    item.accessibilityInformation = {label, role: 'button'};
    item.tooltip = tooltip(agent, label);
    item.backgroundColor = problem ? new ThemeColor('statusBarItem.warningBackground') : undefined;
    item.show();
  };
  show();
  return [
    item,
    agent.onDidChange(show),
    window.onDidChangeActiveTextEditor(show),
    workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('skills.model') && show()),
  ];
}

function status(agent: Agent): {text: string; label: string; problem: boolean} {
  const {conversation, server} = agent;
  if (server === 'stopped') {
    return {text: '$(warning) Skills: stopped', label: 'The skills server is not running', problem: true};
  }
  if (server === 'starting') {
    return {text: '$(loading~spin) Skills', label: 'The skills server is starting', problem: false};
  }
  if (conversation.questions.length > 0) {
    return {text: '$(question) Skills: question', label: 'The agent has a question', problem: true};
  }
  const {activity} = conversation;
  if (activity !== undefined) {
    const short = activity.length > 40 ? `${activity.slice(0, 39)}…` : activity;
    return {text: `$(loading~spin) Skills: ${plain(short)}`, label: `The agent is busy: ${activity}`, problem: false};
  }
  const count = agent.active(window.activeTextEditor?.document.uri).length;
  const {read, written} = conversation.tokens;
  const tokens = read + written;
  const {name, label: model, problem} = agent.asked;
  const answers = problem === undefined ? brief(name) : 'no model';
  const parts = [`Skills: ${count}`, answers, ...(tokens > 0 ? [SHORT.format(tokens)] : [])];
  const active = `${count} ${count === 1 ? 'skill is' : 'skills are'} active here`;
  const said = problem === undefined ? `model ${model}` : 'no model';
  const label = `${active}, ${said}${tokens > 0 ? `, ${tokens} tokens` : ''}`;
  return {text: `$(zap) ${plain(parts.join(' · '))}`, label, problem: false};
}

/** A model as a bar has room for it: without its provider, or the folder of a recording. */
function brief(model: string): string {
  const name = model.slice(Math.max(model.lastIndexOf(':'), model.lastIndexOf('/')) + 1);
  return name.length > 24 ? `${name.slice(0, 23)}…` : name;
}

/** `$(…)` in a text of others would become an icon. */
function plain(text: string): string {
  return text.replaceAll('$(', '$ (');
}

function tooltip(agent: Agent, label: string): MarkdownString {
  const text = new MarkdownString();
  const lines = [label];
  for (const skill of agent.active(window.activeTextEditor?.document.uri)) {
    const [why] = skill.why;
    lines.push(`${skill.name}: ${why?.pattern ?? why?.kind ?? ''}`);
  }
  const {label: model, problem} = agent.asked;
  lines.push(problem === undefined ? `Model: ${model}` : `No model: ${problem}`);
  const {tokens, lastEnd} = agent.conversation;
  if (lastEnd !== undefined) {
    lines.push(`Last turn: ${lastEnd.inputTokens} tokens read, ${lastEnd.outputTokens} written`);
    lines.push(`This conversation: ${tokens.read} tokens read, ${tokens.written} written`);
  }
  for (const line of lines) {
    text.appendText(line).appendMarkdown('\n\n');
  }
  return text;
}
