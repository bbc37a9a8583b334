import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openProcessor, problemsOfProcessor, processed, shown } from '../../testing/open-processor.ts';
import { testServices } from '../../testing/run-pipeline.ts';
import { Message } from '../component/message.ts';
import { listedAccess } from '../component/outbound-access.ts';

async function results(config: object, ...contents: readonly (string | Buffer)[]): Promise<string[]> {
  const processor = await openProcessor(config);
  const batch = contents.map((content) => Message.of(content));
  const made = (await processed(processor, batch)).map(shown);
  await processor.close?.();
  return made;
}

test('queries in JMESPath', async () => {
  // biome-ignore format: a table
  const cases: readonly [query: string, content: string, result: string][] = [
    ["locations[?state == 'WA'].name | sort(@) | {Cities: join(', ', @)}", '{"locations":[{"name":"Seattle","state":"WA"},{"name":"New York","state":"NY"},{"name":"Bellevue","state":"WA"}]}', '{"Cities":"Bellevue, Seattle"}'],
    ['a.b',                     '{"a":{"b":"x"}}', '"x"'],
    ['nothing',                 '{}',              'null'],
    ['sum(a)',                  '{"a":[1,2.5]}',   '3.5'],
  ];
  for (const [query, content, result] of cases)
    assert.deepEqual(await results({ jmespath: { query } }, content), [result], query);
  const [failed, wrong] = await results({ jmespath: { query: 'abs(a)' } }, 'no', '{"a":"x"}');
  assert.match(failed!, /^! .*JSON/);
  assert.match(wrong!, /^! .*abs/);
  await assert.rejects(openProcessor({ jmespath: { query: 'a[' } }), Error);
});

test('messages that do not match a JSON schema have failed, and stay as they are', async () => {
  const schema = JSON.stringify({
    type: 'object',
    properties: { age: { type: 'integer', minimum: 0 }, name: { pattern: '^(a+)+$' } },
    required: ['age'],
  });
  const contents = ['{"age":1}', '{"age":-1}', '{}', 'no', `{"age":1,"name":"${'a'.repeat(5000)}!"}`];
  const made = await results({ json_schema: { schema } }, ...contents);
  assert.deepEqual(
    made.map((text) => text.startsWith('! ')),
    [false, true, true, true, true],
  );
  assert.match(made[1]!, /age/);
});

const avroSchema = JSON.stringify({
  type: 'record',
  name: 'R',
  namespace: 'n',
  fields: [
    { name: 'id', type: 'long' },
    { name: 'note', type: ['null', 'string'], default: null },
    { name: 'kind', type: { type: 'enum', name: 'K', symbols: ['A', 'B'] }, default: 'B' },
  ],
});

test('messages are converted between Avro and JSON', async () => {
  const document = '{"id":9007199254740993,"note":{"string":"x"},"kind":"A"}';
  for (const encoding of ['textual', 'binary', 'single']) {
    const from = await openProcessor({ avro: { operator: 'from_json', encoding, schema: avroSchema } });
    const to = await openProcessor({ avro: { operator: 'to_json', encoding, schema: avroSchema } });
    const encoded = await processed(from, [
      Message.of(document),
      Message.of('{"id":1}'),
      Message.of('{"id":"a"}'),
    ]);
    assert.match(shown(encoded[2]!), /^! .*id/, encoding);
    const decoded = await processed(to, [...encoded.slice(0, 2), Message.of('\xc3\x01broken')]);
    assert.deepEqual(decoded.slice(0, 2).map(shown), [document, '{"id":1,"note":null,"kind":"B"}'], encoding);
    assert.match(shown(decoded[2]!), /^! /, encoding);
  }
  const [binary] = await results(
    { avro: { operator: 'from_json', encoding: 'binary', schema: avroSchema } },
    '{"id":1}',
  );
  assert.deepEqual(Buffer.from(binary!), Buffer.from([2, 0, 2]));
  // A known fingerprint, after the marker.
  const single = await openProcessor({
    avro: { operator: 'from_json', encoding: 'single', schema: '"int"' },
  });
  const [one] = await processed(single, [Message.of('1')]);
  assert.equal(one!.content.toString('hex'), 'c301' + '8f5c393f1ad57572' + '02');
});

test('schemas are texts of the configuration, or files of people', () => {
  // biome-ignore format: a table
  const cases: readonly [config: object, isLocal: boolean, problems: string[]][] = [
    [{ avro: { operator: 'to_json' } },                               true,  ['schema or schema_path is missing']],
    [{ json_schema: {} },                                             true,  ['schema or schema_path is missing']],
    [{ json_schema: { schema_path: 'file:///a' } },                   true,  []],
    [{ json_schema: { schema_path: '/a' } },                          true,  ['schema_path has to begin with file://', 'schema or schema_path is missing']],
    [{ json_schema: { schema: '{}', schema_path: 'file:///a' } },     false, ['schema_path is not available in managed pipelines; run it with weir cli run-pipeline']],
  ];
  for (const [config, isLocal, problems] of cases)
    assert.deepEqual(problemsOfProcessor(config, isLocal), problems);
});

const protobufSchema = `syntax = "proto3";
message First { int64 id = 1; }
message Second { string name = 1; }`;

const schemas: Readonly<Record<number, { readonly schema: string; readonly schemaType: string }>> = {
  1: { schema: avroSchema, schemaType: 'AVRO' },
  2: { schema: protobufSchema, schemaType: 'PROTOBUF' },
  3: { schema: '{"type":"object","required":["id"]}', schemaType: 'JSON' },
};

/** A registry with one subject for each schema. */
async function registry(t: TestContext) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url!);
    const answer = (value: object) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (request.headers.authorization !== `Basic ${Buffer.from('u:p').toString('base64')}`)
      return response.writeHead(401).end('{"error_code":401,"message":"no"}');
    const [, id] = /^\/schemas\/ids\/(\d+)(?:\?|$)/.exec(request.url!) ?? [];
    const [, subject] = /^\/subjects\/s(\d+)\/versions\/latest/.exec(request.url!) ?? [];
    if (/^\/schemas\/ids\/\d+\/versions/.test(request.url!)) return answer([]);
    if (schemas[Number(id)]) return answer(schemas[Number(id)]!);
    if (schemas[Number(subject)])
      return answer({
        subject: `s${subject}`,
        version: 1,
        id: Number(subject),
        ...schemas[Number(subject)]!,
      });
    return response.writeHead(404).end(`{"error_code":${id ? 40403 : 40401},"message":"none"}`);
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const basic_auth = { enabled: true, username: 'u', password: 'p' };

test('messages are encoded by a subject of a registry, and decoded by the id before them', async (t) => {
  const { url, requests } = await registry(t);
  // biome-ignore format: a table
  const cases: readonly [subject: number, isPlain: boolean, given: string, decoded: string][] = [
    [1, false, '{"id":9007199254740993,"note":{"string":"x"},"kind":"A"}', '{"id":9007199254740993,"note":{"string":"x"},"kind":"A"}'],
    [1, true,  '{"id":1,"note":"x"}',                                      '{"id":1,"note":"x","kind":"B"}'],
    [1, true,  '{"id":1,"note":null}',                                     '{"id":1,"note":null,"kind":"B"}'],
    [2, false, '{"id":"7"}',                                               '{"id":"7"}'],
    [2, false, '{"name":"x"}',                                             '{"name":"x"}'],
    [3, false, '{"id": 1}',                                                '{"id": 1}'],
  ];
  for (const [subject, avro_raw_json, given, decoded] of cases) {
    const fields = { url, basic_auth, avro_raw_json };
    const encode = await openProcessor({
      schema_registry_encode: { ...fields, subject: `s\${! metadata("n") }` },
    });
    const decode = await openProcessor({ schema_registry_decode: fields });
    t.after(() => Promise.all([encode.close?.(), decode.close?.()]));
    const message = Message.of(given, new Map([['n', subject]]));
    const [encoded] = await processed(encode, [message, message]);
    assert.equal(encoded!.error, undefined, given);
    assert.deepEqual([...encoded!.content.subarray(0, 5)], [0, 0, 0, 0, subject], given);
    const made = await processed(decode, [encoded!, encoded!]);
    assert.deepEqual(made.map(shown), [decoded, decoded]);
  }
  // Each processor asked once for the last version, and once for the schema.
  assert.equal(requests.filter((path) => /latest/.test(path)).length, cases.length);
});

test('what a registry does not know, and what does not fit, is one line', async (t) => {
  const { url } = await registry(t);
  const decode = await openProcessor({ schema_registry_decode: { url, basic_auth } });
  t.after(() => decode.close?.());
  const id = (value: number, rest = '') =>
    Buffer.from(`\0\0\0\0${String.fromCharCode(value)}${rest}`, 'latin1');
  const contents = ['', '{"id":1}', id(9), id(1), id(2, '\x02\x14'), id(3, '{}')];
  const made = await processed(
    decode,
    contents.map((content) => Message.of(content)),
  );
  // biome-ignore format: a table
  const expected = [
    /^! the message does not begin with the id of a schema$/,
    /^! the message does not begin with the id of a schema$/,
    /^! the registry has no schema 9$/,
    /^! id: the payload is truncated$/,
    /^! .*index/,
    /^! .*id/,
  ];
  for (const [index, pattern] of expected.entries()) assert.match(shown(made[index]!), pattern);
  const encode = await openProcessor({
    schema_registry_encode: { url, basic_auth, subject: `s\${! content() }` },
  });
  t.after(() => encode.close?.());
  const [missing] = await processed(encode, [Message.of('8')]);
  assert.equal(shown(missing!), '! the registry has no subject s8');
});

test('a registry that the pipeline may not connect to is not asked', async (t) => {
  const { url, requests } = await registry(t);
  const services = { ...testServices(), outbound: listedAccess(['public']) };
  const decode = await openProcessor({ schema_registry_decode: { url } }, { services });
  t.after(() => decode.close?.());
  const [refused] = await processed(decode, [Message.of(Buffer.from([0, 0, 0, 0, 1]))]);
  assert.match(
    shown(refused!),
    /^! failed to read schema 1: the host 127.0.0.1 is an address that Weir may not/,
  );
  assert.deepEqual(requests, []);
});
