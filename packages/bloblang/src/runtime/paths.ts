import { find, indexOfSegment, isInherited, joinPath, splitPath } from '../values/path.ts';
import { isObject, type Value } from '../values/value.ts';
import type { Frame } from './frame.ts';
import { unparsed } from './frame.ts';
import type { Exec, Query } from './query.ts';

/** `this`. */
export function thisQuery(): Query {
  const from: Exec = (frame) => frame.current(undefined);
  return { annotation: 'field `this`', exec: from, path: { from, name: 'this', segments: [] } };
}

/** What has been assigned so far. */
export function rootQuery(): Query {
  const from: Exec = (frame) => frame.readRoot();
  return { annotation: 'field `root`', exec: from, path: { from, name: 'root', segments: [] } };
}

/** The parameter of a lambda. */
export function namedQuery(name: string, slot: number): Query {
  const from: Exec = (frame) => frame.named[slot] ?? null;
  return { annotation: `field \`${name}\``, exec: from, path: { from, name, segments: [] } };
}

/** A field of what a query yields. Paths that follow each other become one. */
export function fieldQuery(target: Query, path: string): Query {
  const added = splitPath(path);
  const base = target.path ?? { from: target.exec, name: '', segments: [] };
  const segments = [...base.segments, ...added];
  const dotted = joinPath(segments);
  const annotation = base.name === '' ? `path \`${dotted}\`` : `field \`${base.name}.${dotted}\``;
  // A document that cannot be parsed is named with the field that was wanted.
  const from: Exec =
    base.name === 'this'
      ? (frame) => (frame.value === unparsed ? frame.run.document(dotted) : frame.value)
      : base.from;
  return { annotation, exec: reader(from, segments), path: { ...base, segments } };
}

/** Whether a segment can only be the name of a field. */
const isPlain = (segment: string): boolean =>
  segment !== '*' && indexOfSegment(segment) === undefined && !isInherited(segment);

function reader(from: Exec, segments: readonly string[]): Exec {
  if (segments.includes('*'))
    return (frame) => {
      const found = find(from(frame), segments) ?? null;
      if (Array.isArray(found)) frame.run.budget.step(found.length);
      return found;
    };
  if (!segments.every(isPlain)) return (frame) => find(from(frame), segments) ?? null;
  const [first, second] = segments as [string, string | undefined];
  if (segments.length === 1) return (frame) => field(from(frame), first);
  if (segments.length === 2) return (frame) => field(field(from(frame), first), second!);
  return (frame: Frame) => {
    let value = from(frame);
    for (let at = 0; at < segments.length && value !== null; at++) value = field(value, segments[at]!);
    return value;
  };
}

function field(value: Value, key: string): Value {
  return isObject(value) ? (value[key] ?? null) : null;
}
