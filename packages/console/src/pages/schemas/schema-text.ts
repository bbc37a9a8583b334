/** Texts of schemas as people read them, and places in them. */

import { json, jsonLanguage } from '@codemirror/lang-json';
import type { Extension } from '@codemirror/state';
import type { OutputOf } from '@weir/api/client';
import { protobufMode } from '../../ui/editor/protobuf-mode.ts';

export type SchemaType = OutputOf<'describe_schema'>['schema_type'];

export const schemaTypeNames: Readonly<Record<SchemaType, string>> = {
  AVRO: 'Avro',
  PROTOBUF: 'Protobuf',
  JSON: 'JSON Schema',
};

const asJson: readonly Extension[] = [json()];
const asProtobuf: readonly Extension[] = [protobufMode];

export const languageOf = (type: SchemaType): readonly Extension[] =>
  type === 'PROTOBUF' ? asProtobuf : asJson;

/** Indents schemas that are JSON; they are often registered in one line. */
export function readableSchema(type: SchemaType, text: string): string {
  if (type === 'PROTOBUF') return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** Where a path such as `/fields/1` or `#/properties/id` stands in a text of JSON; the nearest part that exists. */
export function placeOfPath(text: string, path: string): Place | undefined {
  const steps = path.replace(/^#/, '').split('/').slice(1).map(unescapeStep);
  let node = jsonLanguage.parser.parse(text).topNode.firstChild;
  const isPart = node !== null && !node.type.isError && steps.length > 0;
  let place = isPart ? { from: node!.from, to: node!.to } : undefined;
  for (const step of steps) {
    if (node === null) return place;
    const next = childOf(text, node, step);
    if (next === undefined) return place;
    node = next.value;
    place = next.place;
  }
  return place;
}

type Node = NonNullable<ReturnType<typeof jsonLanguage.parser.parse>['topNode']['firstChild']>;

function childOf(text: string, node: Node, step: string): { value: Node | null; place: Place } | undefined {
  if (node.name === 'Object') {
    for (const property of node.getChildren('Property')) {
      const name = property.getChild('PropertyName');
      if (name === null || nameIn(text.slice(name.from, name.to)) !== step) continue;
      return { value: property.lastChild, place: { from: property.from, to: property.to } };
    }
    return undefined;
  }
  if (node.name !== 'Array' || !/^\d{1,9}$/.test(step)) return undefined;
  let value = node.firstChild;
  let index = -1;
  for (; value !== null; value = value.nextSibling) {
    if (/^[A-Z]/.test(value.name)) index++;
    if (index === Number(step)) return { value, place: { from: value.from, to: value.to } };
  }
  return undefined;
}

function nameIn(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

const unescapeStep = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** Where a text stops to be JSON; `undefined` if it is JSON. */
export function placeOfSyntaxError(text: string): Place | undefined {
  let found: Place | undefined;
  jsonLanguage.parser.parse(text).iterate({
    enter: ({ type, from, to }) => {
      if (found === undefined && type.isError) found = { from, to: Math.max(to, from + 1) };
      return found === undefined;
    },
  });
  return found;
}

/** The line and the column of a place, as editors count them. */
export function lineAndColumn(text: string, position: number): string {
  const before = text.slice(0, position);
  const lineStart = before.lastIndexOf('\n') + 1;
  return `${before.split('\n').length}:${position - lineStart + 1}`;
}
