import assert from 'node:assert/strict';
import { createHmac, hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { KeptFailures } from '../../testing/kept-failures.ts';
import { runPipeline, testServices } from '../../testing/run-pipeline.ts';
import { listedAccess } from '../component/outbound-access.ts';

interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly lines: string[];
  readonly body: Buffer;
}

/** A server of the bulk API; `outcome` is the answer for a document, by its id. */
async function serve(
  t: TestContext,
  outcome: (id: string) => object = () => ({ status: 201 }),
  status = () => 200,
) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
      const lines = text.split('\n').slice(0, -1);
      seen.push({ url: request.url!, headers: request.headers, lines, body });
      const heads = lines
        .map((line) => JSON.parse(line))
        .filter((line) =>
          Object.values(line).some((value) => (value as { _index?: string })?._index !== undefined),
        );
      const items = heads.map((head) => {
        const [action, { _id: id }] = Object.entries(head)[0] as [string, { _id: string }];
        return { [action]: outcome(id) };
      });
      response.writeHead(status()).end(JSON.stringify({ items }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const numbers = (count: number, batchSize = 1) => `
input:
  generate:
    mapping: 'root = {"id": counter(), "name": "a\\nb"}'
    interval: ""
    count: ${count}
    batch_size: ${batchSize}
`;

const common = `index: 'idx-\${! json("id") }', id: '\${! json("id") }'`;

test('a batch is one request, with a line for what is done and one for the document', async (t) => {
  const { url, seen } = await serve(t);
  await runPipeline(
    `${numbers(2, 2)}\noutput: {elasticsearch_v2: {urls: ["${url}/es/"], ${common}, routing: r, pipeline: p, compress_request_body: true, basic_auth: {enabled: true, username: u, password: p}}}\n`,
  );
  assert.equal(seen.length, 1);
  assert.equal(seen[0]!.url, '/es/_bulk');
  assert.equal(seen[0]!.headers.authorization, `Basic ${Buffer.from('u:p').toString('base64')}`);
  assert.deepEqual(seen[0]!.lines, [
    '{"index":{"_index":"idx-1","_id":"1","routing":"r","pipeline":"p"}}',
    '{"id":1,"name":"a\\nb"}',
    '{"index":{"_index":"idx-2","_id":"2","routing":"r","pipeline":"p"}}',
    '{"id":2,"name":"a\\nb"}',
  ]);
});

test('updates are wrapped for Elasticsearch and not for OpenSearch', async (t) => {
  const { url, seen } = await serve(t);
  for (const type of ['elasticsearch_v2', 'elasticsearch', 'opensearch'])
    await runPipeline(`${numbers(1)}\noutput: {${type}: {urls: ["${url}"], ${common}, action: update}}\n`);
  await runPipeline(
    `${numbers(1)}\noutput: {elasticsearch_v2: {urls: ["${url}"], ${common}, action: upsert}}\n`,
  );
  const document = '{"id":1,"name":"a\\nb"}';
  assert.deepEqual(
    seen.map(({ lines }) => lines[1]),
    [
      `{"doc":${document},"doc_as_upsert":false}`,
      `{"doc":${document},"doc_as_upsert":false}`,
      document,
      `{"doc":${document},"doc_as_upsert":true}`,
    ],
  );
});

test('of a batch, only documents that were not stored are written again', async (t) => {
  let refusals = 1;
  const { url, seen } = await serve(t, (id) =>
    id === '2' && refusals-- > 0
      ? { status: 429, error: { type: 'busy', reason: 'later' } }
      : { status: 201 },
  );
  await runPipeline(`${numbers(3, 3)}\noutput: {opensearch: {urls: ["${url}"], ${common}, action: index}}\n`);
  assert.deepEqual(
    seen.map(({ lines }) => lines.length / 2),
    [3, 1],
  );
});

test('deleting what is not there succeeds, and a server that fails is tried again', async (t) => {
  const statuses = [503, 200];
  const { url, seen } = await serve(
    t,
    () => ({ status: 404, result: 'not_found' }),
    () => statuses.shift()!,
  );
  await runPipeline(`${numbers(1)}\noutput: {opensearch: {urls: ["${url}"], ${common}, action: delete}}\n`);
  assert.deepEqual(
    seen.map(({ lines }) => lines),
    [['{"delete":{"_index":"idx-1","_id":"1"}}'], ['{"delete":{"_index":"idx-1","_id":"1"}}']],
  );
});

test('refusals say why, an unknown action fails, and a server that is not allowed gets nothing', async (t) => {
  const { url, seen } = await serve(t, () => ({
    status: 400,
    error: { type: 'mapper', reason: 'no number' },
  }));
  const cases: readonly [fields: string, entries: string[], expected: RegExp][] = [
    ['action: index', ['loopback'], /refused with status 400: mapper: no number/],
    ['action: replace', ['loopback'], /action has to be one of/],
    ['action: index', ['public'], /may not connect to/],
  ];
  for (const [fields, entries, expected] of cases) {
    const failures = new KeptFailures();
    await runPipeline(
      `${numbers(1)}\noutput: {keep_failures: {output: {opensearch: {urls: ["${url}"], ${common}, ${fields}}}}}\n`,
      { specs: [failures.spec], services: { ...testServices(), outbound: listedAccess(entries) } },
    );
    assert.match(failures.errors.join(), expected);
  }
  assert.equal(seen.length, 1);
});

test('requests to AWS are signed for the bytes that are sent', async (t) => {
  for (const compresses of [false, true]) {
    const { url, seen } = await serve(t);
    await runPipeline(`${numbers(1)}
output:
  elasticsearch:
    urls: [${url}/base]
    index: events
    gzip_compression: ${compresses}
    aws: {enabled: true, region: eu-west-1, credentials: {id: AK, secret: SK, token: TK}}
`);
    const [{ url: path, headers, body }] = seen as [Seen];
    assert.equal(headers['x-amz-security-token'], 'TK');
    assert.equal(headers.authorization, signatureOf(path, headers, body));
  }
});

test('a server of AWS says its region, and another has to be told', async (t) => {
  const run = (region: string, urls: string) => {
    const failures = new KeptFailures();
    return runPipeline(
      `${numbers(1)}
output:
  keep_failures:
    output:
      opensearch:
        urls: [${urls}]
        index: events
        action: index
        id: '1'
        aws: {enabled: true, region: "${region}", credentials: {id: AK, secret: SK}}
`,
      { specs: [failures.spec] },
    ).then(() => failures.errors.join());
  };
  const { url, seen } = await serve(t);
  assert.match(await run('', url), /the region is missing: 127\.0\.0\.1 does not name it/);
  await run('eu-west-1', url);
  assert.equal(seen.length, 1);
});

/** The header of AWS Signature Version 4, from its specification. */
function signatureOf(path: string, headers: IncomingHttpHeaders, body: Buffer): string {
  const { authorization = '' } = headers;
  const names = /SignedHeaders=([^,]+)/.exec(authorization)![1]!;
  for (const needed of ['host', 'x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token'])
    assert.ok(names.split(';').includes(needed), needed);
  const lines = names.split(';').map((name) => `${name}:${headers[name]}`);
  const canonical = ['POST', path, '', ...lines, '', names, hash('sha256', body)].join('\n');
  const time = headers['x-amz-date'] as string;
  const scope = `${time.slice(0, 8)}/eu-west-1/es/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n');
  let key: string | Buffer = 'AWS4SK';
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  return `AWS4-HMAC-SHA256 Credential=AK/${scope},SignedHeaders=${names},Signature=${signature}`;
}
