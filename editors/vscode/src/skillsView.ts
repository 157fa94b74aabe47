import {basename, dirname} from 'node:path';
import {
  EventEmitter,
  MarkdownString,
  ThemeColor,
  ThemeIcon,
  type TreeDataProvider,
  TreeItem,
  TreeItemCollapsibleState,
  Uri,
  workspace,
} from 'vscode';

import type {Agent} from './agent.ts';
import type {Catalog} from './catalog.ts';
import type {ActiveSkill, ListedSkill} from './protocol.ts';

/** A row: a group, a skill, or a reason why a skill is active. */
export type Row =
  | {readonly kind: 'group'; readonly group: Group; readonly skills: readonly Row[]}
  | SkillRow
  | {readonly kind: 'why'; readonly text: string; readonly document: Uri};

/** A skill in one of the groups. */
export interface SkillRow {
  readonly kind: 'skill';
  readonly group: Group;
  readonly name: string;
  readonly path: string | null;
  readonly description: string;
  /** What follows the name: why it is active, what is wrong, or what hides it. */
  readonly remark: string;
  readonly reasons: readonly Row[];
}

/** A skill that can be run. */
export interface RunnableSkill extends SkillRow {
  /** What it takes; empty for nothing that it tells. */
  readonly hint: string;
}

/** The states of a skill, in their order on the screen. */
const GROUPS = {
  active: {label: 'Active', icon: 'zap', color: 'charts.yellow', open: true},
  available: {label: 'Available', icon: 'circle-outline', color: 'descriptionForeground', open: true},
  bundled: {label: 'Built in', icon: 'package', color: 'descriptionForeground', open: false},
  broken: {label: 'Broken', icon: 'error', color: 'list.errorForeground', open: true},
  shadowed: {label: 'Shadowed', icon: 'eye-closed', color: 'disabledForeground', open: false},
} as const;
type Group = keyof typeof GROUPS;
const RUNNABLE: ReadonlySet<Group> = new Set(['active', 'available', 'bundled']);

/** The tree of skills: active with why, available, broken with what is wrong, shadowed with by what. */
export class SkillsView implements TreeDataProvider<Row> {
  readonly #agent: Agent;
  readonly #catalog: Catalog;
  #changed = new EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(agent: Agent, catalog: Catalog) {
    this.#agent = agent;
    this.#catalog = catalog;
    // Not with each step of a turn: every row would be made anew.
    agent.onDidActivate(() => this.#changed.fire());
    catalog.onDidChange(() => this.#changed.fire());
  }

  getChildren(row?: Row): Row[] {
    if (row === undefined) {
      return this.#groups();
    }
    return [...(row.kind === 'group' ? row.skills : row.kind === 'skill' ? row.reasons : [])];
  }

  getTreeItem(row: Row): TreeItem {
    switch (row.kind) {
      case 'group':
        return groupItem(row.group, row.skills.length);
      case 'skill':
        return skillItem(row);
      case 'why': {
        const item = new TreeItem(row.text);
        item.iconPath = new ThemeIcon('arrow-small-right');
        item.command = {command: 'vscode.open', title: 'Open', arguments: [row.document]};
        return item;
      }
    }
  }

  /** Details come when the person asks for them: there may be a thousand rows. */
  resolveTreeItem(item: TreeItem, row: Row): TreeItem {
    if (row.kind === 'skill') {
      item.tooltip = tooltip(row);
    }
    return item;
  }

  /** What can be run, the active skills first, and what each takes. */
  runnable(): RunnableSkill[] {
    const hints = new Map(this.#catalog.skills.map(({name, argumentHint}) => [name, argumentHint ?? '']));
    const rows = this.#groups().flatMap((row) => (row.kind === 'group' ? row.skills : []));
    const skills = rows.filter((row) => row.kind === 'skill').filter(({group}) => RUNNABLE.has(group));
    return skills.map((row) => ({...row, hint: hints.get(row.name) ?? ''}));
  }

  #groups(): Row[] {
    const active = activeRows(this.#agent.activeDocuments);
    const known = new Set(active.map(identity));
    const others = this.#catalog.skills.filter((skill) => !known.has(identity(skill))).map(listedRow);
    const all = [...active, ...others];
    const groups = (Object.keys(GROUPS) as Group[]).map((group): Row & {kind: 'group'} => ({
      kind: 'group',
      group,
      skills: all.filter((row) => row.group === group),
    }));
    return groups.filter((group) => group.skills.length > 0);
  }
}

/** Skills that came with the server have no file. */
function identity({path, name}: {readonly path?: string | null; readonly name: string}): string {
  return path ?? name;
}

function activeRows(documents: ReadonlyMap<string, readonly ActiveSkill[]>): SkillRow[] {
  const rows = new Map<string, SkillRow & {reasons: Row[]}>();
  for (const [uri, skills] of documents) {
    const document = Uri.parse(uri);
    for (const skill of skills) {
      const key = identity(skill);
      const reasons = skill.why.map(({kind, pattern, matched}): Row => ({
        kind: 'why',
        document,
        text: kind === 'path' && pattern !== undefined ? `${matched ?? ''} matches ${pattern}` : kind,
      }));
      const row = rows.get(key) ?? {
        kind: 'skill',
        group: 'active',
        name: skill.name,
        path: skill.path ?? null,
        description: skill.description,
        remark: basename(document.path),
        reasons: [],
      };
      rows.set(key, {...row, reasons: [...row.reasons, ...reasons]});
    }
  }
  return [...rows.values()];
}

function listedRow(skill: ListedSkill): SkillRow {
  const usable = skill.source === 'bundled' ? 'bundled' : 'available';
  const group = skill.state === 'broken' || skill.state === 'shadowed' ? skill.state : usable;
  const remark = {
    active: '',
    available: skill.path === null ? skill.source : where(skill.path),
    bundled: '',
    broken: skill.errors[0] ?? '',
    shadowed: skill.shadowedBy === null ? '' : `by ${where(skill.shadowedBy)}`,
  }[group];
  const name = skill.name === '' && skill.path !== null ? basename(dirname(skill.path)) : skill.name;
  return {kind: 'skill', group, name, path: skill.path, description: skill.description, remark, reasons: []};
}

/** A skill's folder, as short as the person would say it. */
function where(path: string): string {
  return workspace.asRelativePath(dirname(dirname(path)), false);
}

function groupItem(group: Group, count: number): TreeItem {
  const {label, open} = GROUPS[group];
  const item = new TreeItem(label, open ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.Collapsed);
  item.id = group;
  item.description = String(count);
  item.accessibilityInformation = {label: `${label}, ${count} skills`};
  return item;
}

function skillItem(row: SkillRow): TreeItem {
  const {icon, color, label} = GROUPS[row.group];
  const open = row.reasons.length > 0 ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.None;
  const item = new TreeItem(row.name, open);
  item.id = `${row.group}:${row.path ?? row.name}`;
  item.description = row.remark;
  item.iconPath = new ThemeIcon(icon, new ThemeColor(color));
  item.accessibilityInformation = {label: `${row.name}, ${label.toLowerCase()}. ${row.remark}`};
  const runnable = RUNNABLE.has(row.group);
  item.contextValue = [runnable ? 'runnable' : '', row.path === null ? '' : 'file'].filter(Boolean).join(' ');
  if (row.path !== null) {
    item.resourceUri = Uri.file(row.path);
    item.command = {command: 'skills.openSkill', title: 'Open', arguments: [row]};
  }
  return item;
}

/** What a skill says is text of a stranger: it is shown as such, and nothing in it can be clicked. */
function tooltip({name, description, remark, path}: SkillRow): MarkdownString {
  const text = new MarkdownString();
  text.appendMarkdown('**').appendText(name).appendMarkdown('**\n\n');
  for (const line of [description, remark, path ?? '']) {
    if (line !== '') {
      text.appendText(line).appendMarkdown('\n\n');
    }
  }
  return text;
}
