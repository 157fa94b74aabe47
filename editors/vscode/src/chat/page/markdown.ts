/**
 * Shows what a model wrote: paragraphs, headings, lists, code, emphasis. It is text of a stranger, so it becomes nodes
 * and never HTML, nothing is fetched, and an address is shown as it is, not as what it calls itself.
 */
export function markdown(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  let list: HTMLElement | undefined;
  const lines = text.split('\n');
  for (let index = 0; index < lines.length;) {
    const line = lines[index] ?? '';
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      const end = lines.findIndex((other, at) => at > index && other.trim().startsWith(fence));
      const last = end < 0 ? lines.length : end;
      fragment.append(element('pre', {tabIndex: 0}, element('code', {}, lines.slice(index + 1, last).join('\n'))));
      index = last + 1;
      list = undefined;
      continue;
    }
    const item = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/.exec(line);
    const heading = /^#{1,6}\s+(.*)$/.exec(line);
    if (item) {
      const tag = item[1] === undefined ? 'ul' : 'ol';
      if (list?.localName !== tag) {
        list = element(tag, {});
        fragment.append(list);
      }
      list.append(element('li', {}, ...inline(item[2] ?? '')));
    } else if (heading) {
      fragment.append(element('p', {className: 'heading'}, ...inline(heading[1] ?? '')));
      list = undefined;
    } else if (line.trim() === '') {
      list = undefined;
    } else {
      const last = fragment.lastElementChild;
      const before = lines[index - 1] ?? '';
      if (last?.localName === 'p' && last.className === '' && before.trim() !== '' && !before.startsWith('#')) {
        last.append('\n', ...inline(line));
      } else {
        fragment.append(element('p', {}, ...inline(line)));
      }
      list = undefined;
    }
    index += 1;
  }
  return fragment;
}

const INLINE = /(`+)(.+?)\1(?!`)|\*\*(.+?)\*\*|(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])/gs;

function inline(text: string): (Node | string)[] {
  const nodes: (Node | string)[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(text.slice(from, match.index));
    const [whole, , code, strong, emphasis] = match;
    if (code !== undefined) {
      nodes.push(element('code', {}, code));
    } else {
      nodes.push(element(strong === undefined ? 'em' : 'strong', {}, strong ?? emphasis ?? ''));
    }
    from = match.index + whole.length;
  }
  nodes.push(text.slice(from));
  return nodes;
}

/** Makes an element with properties and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
