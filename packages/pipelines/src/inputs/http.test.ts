import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { jsonLog, silentLog } from '@weir/core';
import { Collected, runPipeline, testServices } from '../../testing/run-pipeline.ts';
import { catalogue } from '../catalogue.ts';
import { readConfiguration } from '../config/read-configuration.ts';
import { variablesOf } from './http-server.ts';

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const standardStreams = { input: (async function* () {})(), write: async () => {} };

/** Runs a pipeline with an `http_server`, and calls `use` with where it listens. */
async function served(config: string, use: (url: string) => Promise<void>, collected = new Collected()) {
  const stop = new AbortController();
  const listening = Promise.withResolvers<string>();
  const log = jsonLog({
    level: 'info',
    nowMs: () => 0,
    write: (line) => {
      const { address } = JSON.parse(line) as { readonly address?: string };
      if (address !== undefined) listening.resolve(`http://${address}`);
    },
  });
  const running = runPipeline(config, {
    collected,
    services: { ...testServices(), log, standardStreams },
    stop: stop.signal,
  });
  try {
    await use(await Promise.race([listening.promise, running.then(() => 'ended')]));
  } finally {
    stop.abort();
    await running;
  }
  return collected;
}

test('http_client asks again and again, and its requests may use the last answer', async (t) => {
  const asked: string[] = [];
  const url = await serve(t, (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    // The second answer is empty.
    response.end(asked.length === 2 ? '' : `{"next":${asked.length}}`);
  });
  const { texts } = await runPipeline(`
input:
  read_until:
    check: count("answers") == 3
    input:
      http_client: {url: '${url}/\${! json("next").or(0) }'}
output: {collect: {}}
`);
  assert.deepEqual(texts, ['{"next":1}', '{"next":3}', '{"next":4}']);
  assert.deepEqual(asked.slice(0, 4), ['GET /0', 'GET /1', 'GET /1', 'GET /3']);
});

test('http_client cuts an answer that goes on into messages', async (t) => {
  const url = await serve(t, (_request, response) => {
    response.write('one\ntw');
    response.write('o\n');
    response.end('\nthree');
  });
  const { texts } = await runPipeline(`
input:
  http_client: {url: '${url}', stream: {enabled: true, reconnect: false}}
output: {collect: {}}
`);
  assert.deepEqual(texts, ['one', 'two', 'three']);
});

test('what http_client failed to send is delivered again, and only that', async (t) => {
  const received: string[] = [];
  const url = await serve(t, async (request, response) => {
    const body = await bodyOf(request);
    const isFirst = !received.includes(`try ${body}`);
    received.push(isFirst && body === '2' ? `try ${body}` : body);
    response.writeHead(isFirst && body === '2' ? 500 : 200).end();
  });
  await runPipeline(`
input:
  generate: {mapping: root = counter(), interval: "", count: 3, batch_size: 3}
output:
  http_client: {url: '${url}', retries: 0}
`);
  assert.deepEqual(received, ['1', 'try 2', '3', '2']);
});

test('http_client sends a batch as one request', async (t) => {
  const received: string[] = [];
  const url = await serve(t, async (request, response) => {
    received.push((await bodyOf(request)).replaceAll(/--[0-9a-f]{48}/g, '--b'));
    response.end();
  });
  await runPipeline(`
input:
  generate: {mapping: root = counter(), interval: "", count: 2}
output:
  http_client: {url: '${url}', batch_as_multipart: true, batching: {count: 2}}
`);
  const part = (content: string) => `--b\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n`;
  assert.deepEqual(received, [`${part('1')}${part('2')}--b--\r\n`]);
});

test('http_server answers when messages are written, or with what the pipeline sends back', async () => {
  const config = `
input:
  http_server:
    address: "127.0.0.1:0"
    path: /orders/{id}
    allowed_verbs: [POST, PUT]
    sync_response:
      status: '\${! meta("code").or("200") }'
      metadata_headers: {include_prefixes: [x_]}
output:
  switch:
    cases:
      - check: content() == "fail"
        output: {reject: it failed}
      - check: content() == "quiet"
        output: {collect: {}}
      - output:
          sync_response: {}
          processors:
            - mapping: |
                root = content().uppercase() + " " + meta("id") + " " + meta("q").or("") + " " + meta("X-Name").or("")
                meta code = if content() == "made" { "201" }
                meta x_note = "hello"
`;
  const collected = await served(config, async (url) => {
    // biome-ignore format: a table
    const cases: readonly [method: string, path: string, body: string, status: number, answer: RegExp][] = [
      ['POST',   '/orders/7',     'quiet', 200, /^$/],
      ['POST',   '/orders/7?q=z', 'abc',   200, /^ABC 7 z me$/],
      ['PUT',    '/orders/8',     'made',  201, /^MADE 8 {2}me$/],
      ['POST',   '/orders/7',     'fail',  502, /it failed/],
      ['DELETE', '/orders/7',     '',      405, /POST, PUT/],
      ['POST',   '/elsewhere',    'x',     404, /no pipeline/],
    ];
    for (const [method, path, body, status, answer] of cases) {
      const response = await fetch(url + path, { method, body, headers: { 'X-Name': 'me' } });
      assert.equal(response.status, status, `${method} ${path} ${body}`);
      assert.match(await response.text(), answer, `${method} ${path} ${body}`);
      if (status === 201) assert.equal(response.headers.get('x_note'), 'hello');
    }
  });
  assert.deepEqual(collected.texts, ['quiet']);
  assert.equal(collected.batches[0]![0]!.metadata.get('http_server_verb'), 'POST');
});

test('http_server answers in time, also if the output does not', async () => {
  const stuck = new Collected();
  stuck.fail = () => new Promise(() => undefined);
  const config = `
input:
  http_server: {address: "127.0.0.1:0", timeout: 20ms}
output: {collect: {}}
shutdown_timeout: 10ms
`;
  await served(
    config,
    async (url) => {
      const response = await fetch(`${url}/post`, { method: 'POST', body: 'x' });
      assert.equal(response.status, 408);
    },
    stuck,
  );
});

test('a process that takes no requests opens no port for a pipeline', async () => {
  await assert.rejects(
    runPipeline('input: {http_server: {}}\noutput: {drop: {}}\n', {
      services: { ...testServices(), log: silentLog },
    }),
    /takes no requests for pipelines/,
  );
});

test('managed pipelines take no requests, and websockets are refused', () => {
  // biome-ignore format: a table
  const cases: readonly [fields: string, problem: RegExp][] = [
    ['path: /post',           /input http_server is not available in managed pipelines; run it with weir cli/],
    ['address: "0.0.0.0:80"', /address is not available in managed pipelines/],
    ['cert_file: /x',         /cert_file is not available in managed pipelines/],
    ['ws_path: /ws',          /websockets, which are not available/],
    ['path: post',            /path has to begin with/],
  ];
  for (const [fields, problem] of cases) {
    const { problems } = readConfiguration(`input: {http_server: {${fields}}}\noutput: {drop: {}}\n`, {
      catalogue,
      isLocal: false,
      references: { variable: () => undefined, secrets: {} },
    });
    assert.match(problems.map(({ message }) => message).join('; '), problem, fields);
  }
});

test('paths have variables', () => {
  // biome-ignore format: a table
  const cases: readonly [pattern: string, path: string, variables: Record<string, string> | undefined][] = [
    ['/post',        '/post',        {}],
    ['/post',        '/post/',       undefined],
    ['/post',        '/other',       undefined],
    ['/a/{id}',      '/a/7',         { id: '7' }],
    ['/a/{id}',      '/a',           undefined],
    ['/a/{id:[0-9]+}/b', '/a/7/b',   { id: '7' }],
    ['/a/',          '/a/b/c',       {}],
    ['/a/',          '/b/c',         undefined],
  ];
  for (const [pattern, path, variables] of cases) {
    const found = variablesOf(pattern, path);
    assert.deepEqual(found && Object.fromEntries(found), variables, `${pattern} ${path}`);
  }
});
