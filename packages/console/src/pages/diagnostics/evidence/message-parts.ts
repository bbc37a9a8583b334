import type { OutputOf } from '@weir/api/client';

type Finding = OutputOf<'get_diagnostic'>['diagnostic']['groups'][number];

export interface NamedObject {
  readonly kind: string;
  readonly name: string;
}

/** What a finding is about, from its key `kind:name`; `undefined` if the key is too long to have the whole name. */
export function objectOf({ key }: Pick<Finding, 'key'>): NamedObject | undefined {
  const [, kind, name] = /^(\w+):(.+)$/s.exec(key) ?? [];
  if (kind === undefined || name === undefined || /…[0-9a-f]{16}$/.test(name)) return undefined;
  // A token is named after its agent, which has the page.
  const agent = kind === 'token' ? / of (\S+)$/.exec(name)?.[1] : undefined;
  return agent === undefined ? { kind, name } : { kind: 'agent', name: agent };
}

/** What a finding names: what it is about, and topics, which its message writes as `orders partition 3`. */
export function objectsOf(finding: Pick<Finding, 'key' | 'message'>): readonly NamedObject[] {
  const about = objectOf(finding);
  const topics = [...finding.message.matchAll(/([\w.-]+) partitions? \d/g)].map(([, name]) => name!);
  const named = [...new Set(topics)].map((name) => ({ kind: 'topic', name }));
  return about === undefined ? named : [about, ...named];
}

/** Characters of names: a name inside a longer one is not meant. */
const isNameChar = (char: string | undefined) => char !== undefined && /[\w.-]/.test(char);

/** Cuts a message where it names objects, so that names can be links. Of names that overlap, the longest is meant. */
export function messageParts(
  message: string,
  objects: readonly NamedObject[],
): readonly (string | NamedObject)[] {
  const sought = objects
    .filter(({ name }) => name !== '')
    .toSorted((one, other) => other.name.length - one.name.length);
  const parts: (string | NamedObject)[] = [];
  let textFrom = 0;
  for (let at = 0; at < message.length; at++) {
    if (isNameChar(message[at - 1])) continue;
    const found = sought.find(
      ({ name }) => message.startsWith(name, at) && endsAt(message, at + name.length),
    );
    if (found === undefined) continue;
    if (at > textFrom) parts.push(message.slice(textFrom, at));
    parts.push(found);
    textFrom = at + found.name.length;
    at = textFrom - 1;
  }
  if (textFrom < message.length) parts.push(message.slice(textFrom));
  return parts;
}

/** A full stop after a name ends the sentence. */
function endsAt(message: string, at: number): boolean {
  return !isNameChar(message[at]) || (message[at] === '.' && !isNameChar(message[at + 1]));
}
