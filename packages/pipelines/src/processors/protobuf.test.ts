import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openProcessor, problemsOfProcessor, processed, shown } from '../../testing/open-processor.ts';
import { Message } from '../component/message.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-protobuf-'));
after(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'sub'));
writeFileSync(
  join(folder, 'order.proto'),
  `syntax = "proto3"; package shop;
import "google/protobuf/timestamp.proto"; import "sub/item.proto";
enum State { NEW = 0; PAID = 1; }
message Order { int64 order_id = 1; State state = 2; repeated item.Item items = 3; google.protobuf.Timestamp at = 4;
  oneof by { string user = 5; string robot = 6; } optional int32 note = 7; map<string, int32> counts = 8; Order parent = 9; }`,
);
writeFileSync(
  join(folder, 'sub', 'item.proto'),
  'syntax = "proto2"; package item; message Item { required string name = 1; optional int32 pieces = 2; }',
);

const config = (operator: string, more: object = {}) => ({
  protobuf: { operator, message: 'shop.Order', import_paths: [folder], ...more },
});

// biome-ignore format: a table
const cases: readonly [more: object, json: string, hex: string][] = [
  [{},                        '{"orderId":"5","state":"PAID"}',                  '08051001'],
  [{},                        '{"order_id":5,"at":"1970-01-01T00:00:01Z"}',      '0805220408011000'],
  [{},                        '{"items":[{"name":"a","pieces":2}]}',             '1a050a01611002'],
  [{},                        '{}',                                              ''],
  [{},                        '{"state":"LOST"}',                                '! field shop.Order.state needs a value of shop.State'],
  [{},                        '{"nothing":1}',                                   '! shop.Order has no field "nothing"'],
  [{},                        '{"items":[{}]}',                                  '! required field item.Item.name is missing'],
  [{},                        'no json',                                         '! parse as json: invalid JSON'],
  [{ discard_unknown: true }, '{"nothing":{"x":1},"state":"LOST","user":"u"}',   '2a0175'],
];

test('JSON becomes Protobuf', async () => {
  for (const [more, json, hex] of cases) {
    const [made] = await processed(await openProcessor(config('from_json', more)), [Message.of(json)]);
    const found = made!.error === undefined ? made!.content.toString('hex') : shown(made!);
    assert.equal(found.slice(0, 25), hex.slice(0, 25), json);
  }
});

test('Protobuf becomes JSON', async () => {
  // biome-ignore format: a table
  const rows: readonly [more: object, hex: string, json: string][] = [
    [{},                         '0805100122020801', '{"orderId":"5","state":"PAID","at":"1970-01-01T00:00:01Z"}'],
    [{ use_proto_names: true },  '0805',             '{"order_id":"5"}'],
    [{ emit_unpopulated: true }, '2a0175',           '{"user":"u","orderId":"0","state":"NEW","items":[],"at":null,"counts":{},"parent":null}'],
    [{ emit_unpopulated: true, use_proto_names: true }, '1a030a0161', '{"items":[{"name":"a","pieces":null}],"order_id":"0","state":"NEW","at":null,"counts":{},"parent":null}'],
    [{},                         '08',               '! '],
    [{},                         '1a021001',         '! required field item.Item.name is missing'],
  ];
  for (const [more, hex, json] of rows) {
    const [made] = await processed(await openProcessor(config('to_json', more)), [
      Message.of(Buffer.from(hex, 'hex')),
    ]);
    if (json.startsWith('!')) assert.ok(shown(made!).startsWith(json), shown(made!));
    else assert.deepEqual(JSON.parse(shown(made!)), JSON.parse(json), hex);
  }
});

test('messages that are nested too deeply fail', async () => {
  let payload = Buffer.alloc(0);
  for (let depth = 0; depth < 200; depth++) {
    const length =
      payload.length < 128 ? [payload.length] : [(payload.length & 127) | 128, payload.length >> 7];
    payload = Buffer.concat([Buffer.from([0x4a, ...length]), payload]);
  }
  const [made] = await processed(await openProcessor(config('to_json')), [Message.of(payload)]);
  assert.match(shown(made!), /^! .*nested deeper/);
});

test('what is wrong with a configuration', async () => {
  const missing =
    'managed pipelines have no .proto files; use schema_registry_decode or schema_registry_encode';
  // biome-ignore format: a table
  const problems: readonly [config: object, isLocal: boolean, problem: string][] = [
    [{ import_paths: [] },                false, missing],
    [{ import_paths: [] },                true,  'import_paths is missing'],
    [{},                                  false, 'import_paths is not available in managed pipelines; run it with weir cli run-pipeline'],
    [{ message: '' },                     true,  'message must not be empty'],
    [{ bsr: [{ module: 'buf.build/a' }] }, true, 'bsr is not available in this release; use import_paths, or schema_registry_decode'],
  ];
  for (const [more, isLocal, problem] of problems)
    assert.deepEqual(problemsOfProcessor(config('to_json', more), isLocal), [problem]);
  await assert.rejects(
    openProcessor(config('to_json', { message: 'shop.None' })),
    /no file declares a message shop.None/,
  );
  await assert.rejects(openProcessor(config('to_json', { import_paths: [join(folder, 'none')] })), /ENOENT/);
});
