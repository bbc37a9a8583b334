import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SchemaType } from './schema-format.ts';
import { loadSchemaFormats } from './schema-formats.ts';

/** A case of Karapace's tests. The first line of the file says whose they are. */
interface Case {
  readonly type: SchemaType;
  readonly writer: string;
  readonly reader: string;
  readonly compatible: boolean;
}

const cases = readFileSync(join(import.meta.dirname, '../testing/karapace-cases.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => JSON.parse(line) as Case);

/** Where Confluent's registry decides otherwise, and how often that is so. */
const differences: readonly (readonly [rule: string, count: number, applies: (of: Case) => boolean])[] = [
  ['everything may become a schema that allows everything', 61, ({ reader }) => reader === 'true'],
  ['a schema that allows nothing may become every other', 4, ({ writer }) => writer === 'false'],
  ['no schema may become one that allows nothing', 1, ({ reader }) => reader === 'false'],
  ['a pattern may match a part of a name, here its beginning', 1, ({ reader }) => reader.includes('^a*')],
  [
    'a property that may be anything may be added to an open object',
    2,
    ({ type, reader }) => type === 'JSON' && reader.includes('"properties":{"a":{}}'),
  ],
  [
    'a field with another number is another field',
    2,
    ({ type, writer, reader }) => type === 'PROTOBUF' && packageOf(writer) === packageOf(reader),
  ],
  ['another package is another type', 1, ({ type }) => type === 'PROTOBUF'],
];

function packageOf(text: string): string | undefined {
  return /package (\w+);/.exec(text)?.[1];
}

test("Karapace's cases have Karapace's verdicts, or those of a rule of Confluent's", async () => {
  const formats = await loadSchemaFormats();
  assert.equal(cases.length, 470);
  const counts = new Map(differences.map(([rule]) => [rule, 0]));
  for (const one of cases) {
    const format = formats[one.type];
    const [reader, writer] = [one.reader, one.writer].map((text) => format.parse({ text, references: [] }));
    const found = format.incompatibilities(reader!, writer!, { reader: 'new', policy: 'STRICT' });
    if ((found.length === 0) === one.compatible) continue;
    const rule = differences.find(([, , applies]) => applies(one))?.[0];
    assert.ok(rule !== undefined, JSON.stringify(one));
    counts.set(rule, counts.get(rule)! + 1);
  }
  assert.deepEqual(counts, new Map(differences.map(([rule, count]) => [rule, count])));
});
