import { parseFilter, printField } from '@weir/events';
import type { KnownField } from '../../../ui/editor/filter-language.ts';
import { exactJson, type JsonNode } from '../exact-json.ts';
import type { RecordPart, TopicRecord } from './records.ts';

/** Where a value is in a record: `['value', 'customer', 'name']`, `['headers', 'trace']`. */
type FieldPath = readonly string[];

/** Objects within objects are looked into so far, and so many fields are offered. */
const levelsMax = 6;
const fieldsMax = 200;
const valuesMax = 10;
const valueCharsMax = 100;

/** What is always there, as filters name it. */
const places: readonly KnownField[] = [
  { name: 'partition', description: 'the partition, a number', values: [] },
  { name: 'offset', description: 'the offset, a number', values: [] },
  { name: 'timestamp', description: 'the time, such as "2026-01-31T12:00:00.000Z"', values: [] },
  { name: 'key', description: 'the key, if it is text or a number', values: [] },
  { name: 'value', description: 'the value, if it is text or a number', values: [] },
];

/** Names that filters accept without being known. */
export const openNames = ['key.*', 'value.*', 'headers.*'];

/** What filters may name: places, and the fields of these records with some of their values. */
export function filterFields(records: readonly TopicRecord[]): readonly KnownField[] {
  return [...places, ...fieldsOfRecords(records)];
}

/** The fields of keys, values and headers, in the order in which the records have them. */
export function fieldsOfRecords(records: readonly TopicRecord[]): readonly KnownField[] {
  const found = new Map<string, Set<string | number | boolean>>();
  const add = (path: FieldPath, value: string | number | boolean | undefined) => {
    const name = printField({ path });
    const values = found.get(name) ?? (found.size < fieldsMax ? new Set() : undefined);
    if (values === undefined) return;
    found.set(name, values);
    if (value !== undefined && values.size < valuesMax) values.add(value);
  };
  const walk = (path: FieldPath, node: JsonNode) => {
    if (node.kind === 'object' && path.length <= levelsMax)
      for (const [name, child] of node.entries) walk([...path, name], child);
    else if (path.length > 1) add(path, literalOf(node));
  };
  for (const record of records) {
    for (const part of ['key', 'value'] as const) {
      const node = nodeOf(record[part]);
      if (node !== undefined) walk([part], node);
    }
    for (const { key, value } of record.headers)
      add(['headers', key], value?.format === 'string' ? short(value.text) : undefined);
  }
  return Array.from(found, ([name, values]) => ({ name, description: '', values: [...values] }));
}

function literalOf(node: JsonNode): string | number | boolean | undefined {
  if (node.kind === 'text') return short(node.text);
  if (node.kind !== 'other' || node.text === 'null') return undefined;
  if (node.text === 'true' || node.text === 'false') return node.text === 'true';
  // A number with more digits than the page can count is not offered as another one.
  return String(Number(node.text)) === node.text ? Number(node.text) : undefined;
}

const short = (text: string) => (text.length <= valueCharsMax ? text : undefined);

/** The path of a field as filters write it; `undefined` if it names nothing within a record. */
export function pathOfField(name: string): FieldPath | undefined {
  const [condition, ...others] = parseFilter(`${name} == 0`).filter?.stages ?? [];
  if (condition?.kind !== 'comparison' || others.length > 0 || condition.field.cast !== undefined)
    return undefined;
  const { path } = condition.field;
  return path.length > 1 && ['key', 'value', 'headers'].includes(path[0]!) ? path : undefined;
}

/** The text of a field: text as it is, and the rest as JSON. Absent fields are `undefined`. */
export function textAt(record: TopicRecord, path: FieldPath): string | undefined {
  const [part, ...names] = path;
  if (part === 'headers') {
    const found = record.headers.filter(({ key }) => key === names.join('.')).at(-1);
    return found === undefined ? undefined : (found.value?.text ?? 'null');
  }
  let node = nodeOf(part === 'key' ? record.key : record.value);
  for (const name of names) {
    if (node?.kind === 'object') node = node.entries.findLast(([own]) => own === name)?.[1];
    else if (node?.kind === 'list' && /^\d{1,9}$/.test(name)) node = node.items[Number(name)];
    else return undefined;
  }
  return node === undefined ? undefined : node.kind === 'text' ? node.text : jsonOf(node);
}

const nodes = new WeakMap<RecordPart, { readonly node: JsonNode | undefined }>();

/** JSON of a key or value, read once. What is cut is none. */
export function nodeOf(part: RecordPart | null): JsonNode | undefined {
  if (part === null || part.is_cut || (part.format !== 'json' && part.format !== 'schema')) return undefined;
  const known = nodes.get(part) ?? { node: exactJson(part.text) };
  nodes.set(part, known);
  return known.node;
}

/** JSON in one line, with all digits. */
export function jsonOf(node: JsonNode): string {
  switch (node.kind) {
    case 'text':
      return JSON.stringify(node.text);
    case 'other':
      return node.text;
    case 'list':
      return `[${node.items.map(jsonOf).join(',')}]`;
    case 'object':
      return `{${node.entries.map(([name, child]) => `${JSON.stringify(name)}:${jsonOf(child)}`).join(',')}}`;
  }
}
