import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framed, namedSchema, schemaIdOf, schemaPrefixOf } from './wire-format.ts';

const guid = '00000000-0000-0000-0000-000000000007';
const guidBytes = Buffer.from(guid.replaceAll('-', ''), 'hex');

test('reads ids and GUIDs', () => {
  assert.equal(schemaIdOf(Buffer.from('0000000007aa', 'hex')), 7);
  assert.equal(schemaIdOf(Buffer.from('0100000007', 'hex')), -1);
  assert.equal(schemaIdOf(Buffer.from('00000007', 'hex')), -1);
  assert.deepEqual(schemaPrefixOf(Buffer.from([0, 0, 0, 1, 0])), { ref: 256, bytes: 5 });
  assert.equal(schemaPrefixOf(Buffer.from([0, 0xff, 0, 1, 0])), undefined);
  assert.deepEqual(schemaPrefixOf(Buffer.from([1, ...guidBytes, 9])), { ref: guid, bytes: 17 });
  assert.equal(schemaPrefixOf(Buffer.from([2, ...guidBytes])), undefined);
});

const header = (value: Uint8Array | null, key = '__value_schema_id') => ({ key, value });
const byGuid = Buffer.from([1, ...guidBytes]);

// What a value and the headers of its record say.
const rows: [what: string, value: Buffer | null, headers: ReturnType<typeof header>[], found: unknown[]][] = [
  ['null', null, [header(byGuid)], []],
  ['text', Buffer.from('text'), [], []],
  ['too short', Buffer.from('00000007', 'hex'), [], []],
  ['an id', framed(7, Buffer.from('x')), [], [7, 0, undefined, 'x']],
  ['an id alone', framed(7, Buffer.alloc(0)), [], [7, 0, undefined, '']],
  ['a GUID', Buffer.concat([byGuid, Buffer.from('x')]), [], [guid, 1, undefined, 'x']],
  ['a header', Buffer.from('x'), [header(byGuid)], [guid, 1, '__value_schema_id', 'x']],
  ['a header for the key', Buffer.from('x'), [header(byGuid, '__key_schema_id')], []],
  [
    'a header counts first',
    framed(7, Buffer.from('x')),
    [header(byGuid)],
    [guid, 1, '__value_schema_id', '\0\0\0\0\x07x'],
  ],
  [
    'the last header counts',
    Buffer.from('x'),
    [header(byGuid), header(framed(8, Buffer.alloc(0)))],
    [8, 0, '__value_schema_id', 'x'],
  ],
  [
    'a header that says nothing',
    framed(7, Buffer.from('x')),
    [header(Buffer.from('y'))],
    [7, 0, undefined, 'x'],
  ],
  ['a header that is null', framed(7, Buffer.from('x')), [header(null)], [7, 0, undefined, 'x']],
  // The indexes of a Protobuf message follow the GUID in the header.
  [
    'indexes in the header',
    Buffer.from('x'),
    [header(Buffer.from([...byGuid, 0x79]))],
    [guid, 1, '__value_schema_id', 'yx'],
  ],
];

for (const [what, value, headers, found] of rows) {
  test(`the schema that a value names: ${what}`, () => {
    const named = namedSchema('value', { key: null, value, headers });
    const fields = named && [named.ref, named.magicByte, named.header, Buffer.from(named.payload).toString()];
    assert.deepEqual(fields ?? [], found);
  });
}
