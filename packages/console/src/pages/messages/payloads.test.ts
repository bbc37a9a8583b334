import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsFor } from './commands.ts';
import { exactJson } from './exact-json.ts';
import { bytesOfBase64, hexRows } from './payload-bytes.ts';

test('JSON keeps its digits, and names of prototypes are names', () => {
  assert.deepEqual(exactJson('{"big":12345678901234567890,"__proto__":[true,"x",null]}'), {
    kind: 'object',
    entries: [
      ['big', { kind: 'other', text: '12345678901234567890' }],
      [
        '__proto__',
        {
          kind: 'list',
          items: [
            { kind: 'other', text: 'true' },
            { kind: 'text', text: 'x' },
            { kind: 'other', text: 'null' },
          ],
        },
      ],
    ],
  });
  assert.equal(exactJson('{"cut": "of'), undefined);
  assert.deepEqual(exactJson('"[[{"'), { kind: 'text', text: '[[{' });
  assert.notEqual(exactJson(`${'['.repeat(500)}${']'.repeat(500)}`), undefined);
  assert.equal(exactJson(`${'['.repeat(501)}${']'.repeat(501)}`), undefined);
});

test('bytes are rows of hex digits and ASCII, up to a bound', () => {
  const bytes = bytesOfBase64(btoa('<b>\u0000\u00ff tail of 20 b'));
  assert.equal(
    hexRows(bytes, 8),
    [
      '00000000  3c 62 3e 00 ff 20 74 61 69 6c 20 6f 66 20 32 30  <b>·· tail of 20',
      '00000010  20 62                                             b',
    ].join('\n'),
  );
  assert.equal(hexRows(bytes, 1).split('\n').length, 1);
  assert.equal(hexRows(new Uint8Array(), 1), '');
});

test('commands quote what a shell would run', () => {
  const place = { clusterId: 'vci_1', partition: 2, offset: 42, bootstrap: 'h:9092', origin: 'https://c' };
  const { kcat, weir, curl } = commandsFor({ ...place, topic: "a'; rm" });
  assert.equal(kcat, `kcat -b h:9092 -C -t 'a'\\''; rm' -p 2 -o 42 -c 1 -e -J`);
  assert.match(weir, /-partition 2 -offset 42 -max-records 1$/);
  assert.match(curl, /"topic_name":"a'\\''; rm"/);
});
