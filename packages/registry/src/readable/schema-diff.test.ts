import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { diffLines } from './line-diff.ts';
import { prettySchema } from './pretty-schema.ts';
import { schemaDiff } from './schema-diff.ts';

const orders = (...fields: readonly object[]) => JSON.stringify({ type: 'record', name: 'Order', fields });

test('a schema is indented field by field, and values keep their spelling', () => {
  const text = `{"type":"record","name":"Order","fields":[{"name":"id","type":"long","default":1.0e0},
    {"name":"note","type":["null","string"],"doc":"${'long words '.repeat(8)}","default":null}],"x":[],"y":{}}`;
  assert.equal(
    prettySchema('AVRO', text),
    `{
  "type": "record",
  "name": "Order",
  "fields": [
    {"name": "id", "type": "long", "default": 1.0e0},
    {
      "name": "note",
      "type": ["null", "string"],
      "doc": "${'long words '.repeat(8)}",
      "default": null
    }
  ],
  "x": [],
  "y": {}
}`,
  );
  assert.equal(prettySchema('AVRO', '"string"'), '"string"');
  assert.equal(
    prettySchema('JSON', '{"a": 9007199254740993, "1": "\\"{,"}'),
    '{\n  "a": 9007199254740993,\n  "1": "\\"{,"\n}',
  );
  assert.equal(prettySchema('JSON', '{"broken": ['), '{"broken": [');
  assert.equal(prettySchema('PROTOBUF', 'message A {\n}\n'), 'message A {\n}');
});

test('indented JSON means the same, however deep', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(
        JSON.parse(prettySchema('JSON', JSON.stringify(value))),
        JSON.parse(JSON.stringify(value)),
      );
    }),
  );
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  assert.ok(prettySchema('JSON', deep).length < 100 * deep.length);
});

test('a diff shows what was removed and added, with the lines around it', () => {
  const before = orders({ name: 'id', type: 'int' }, { name: 'note', type: 'string' });
  const after = orders(
    { name: 'id', type: 'long' },
    { name: 'note', type: 'string' },
    { name: 'paid', type: 'boolean' },
  );
  assert.equal(
    schemaDiff(
      { name: 'orders-value version 1', type: 'AVRO', text: before },
      { name: 'new schema', type: 'AVRO', text: after },
      { linesMax: 100 },
    ),
    `--- orders-value version 1
+++ new schema
@@ -2,7 +2,8 @@
   "type": "record",
   "name": "Order",
   "fields": [
-    {"name": "id", "type": "int"},
-    {"name": "note", "type": "string"}
+    {"name": "id", "type": "long"},
+    {"name": "note", "type": "string"},
+    {"name": "paid", "type": "boolean"}
   ]
 }`,
  );
  const named = { name: 'a', type: 'AVRO' as const, text: before };
  assert.equal(schemaDiff(named, named, { linesMax: 100 }), '');
  assert.match(schemaDiff(named, { ...named, text: after }, { linesMax: 4 }), /\n… 9 more lines$/);
});

test('hunks apart from each other have their own line numbers', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const changed = lines.flatMap((line, index) =>
    index === 2 ? [] : index === 20 ? [line, 'added'] : [line],
  );
  const text = (of: readonly string[]) => ({ name: 'x', type: 'PROTOBUF' as const, text: of.join('\n') });
  const diff = schemaDiff(text(lines), text(changed), { linesMax: 100 });
  assert.deepEqual(diff.match(/^@@.*@@$/gm), ['@@ -1,6 +1,5 @@', '@@ -19,6 +18,7 @@']);
});

test('a diff leads from one text to the other, and keeps what the longest common lines are', () => {
  const someLines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
  fc.assert(
    fc.property(someLines, someLines, (before, after) => {
      const lines = diffLines(before, after);
      const side = (other: string) => lines.filter(({ sign }) => sign !== other).map(({ text }) => text);
      assert.deepEqual(side('+'), before);
      assert.deepEqual(side('-'), after);
      assert.equal(lines.filter(({ sign }) => sign === ' ').length, commonLength(before, after));
    }),
  );
});

/** The textbook table. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    for (const [j, y] of b.entries()) next.push(x === y ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!));
    row = next;
  }
  return row[b.length]!;
}

test('texts with nothing in common are one replacement', () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `old ${index}`);
  const after = Array.from({ length: 20_000 }, (_, index) => `new ${index}`);
  assert.equal(diffLines(before, after).length, 40_000);
});
