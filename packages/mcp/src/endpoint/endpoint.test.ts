import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { ApiError } from '@weir/api';
import { requireShortTurns } from '@weir/core/testing';
import { type Served, serve } from '../../testing/served.ts';
import { mcpLimits } from '../limits.ts';

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Not `fetch`, which does not send every header. */
async function send({ port }: Served, { method = 'POST', headers = {}, body = '' }: Sent) {
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    },
  });
  // A body that is not read to its end may fail after the response has arrived.
  request.on('error', () => {});
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = Buffer.concat((await response.toArray()) as Buffer[]).toString();
  return { status: response.statusCode!, headers: response.headers, text };
}

const list = (id = 1) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: {} });

const table: [what: string, sent: Sent, status: number, message: RegExp][] = [
  ['a list', { body: list() }, 200, /"get_context"/],
  ['GET', { method: 'GET' }, 405, /POST/],
  ['DELETE', { method: 'DELETE' }, 405, /POST/],
  ['a page of another site', { body: list(), headers: { origin: 'https://evil.example' } }, 403, /forbidden/],
  ['an opaque origin', { body: list(), headers: { origin: 'null' } }, 403, /forbidden/],
  [
    'a name that was bound to our address',
    { body: list(), headers: { host: 'evil.example' } },
    403,
    /forbidden/,
  ],
  ['a page of our own', { body: list(), headers: { origin: 'http://localhost:1234' } }, 200, /get_context/],
  ['a form', { body: 'a=b', headers: { 'content-type': 'text/plain' } }, 415, /application\/json/],
  ['what is not JSON', { body: '{' }, 400, /-32700/],
  ['nothing', { body: '' }, 400, /-32700/],
  ['a number', { body: '7' }, 400, /-326/],
  [
    'an unsupported version',
    { body: list(), headers: { 'mcp-protocol-version': '2030-01-01' } },
    400,
    /error/,
  ],
  ['endless nesting', { body: '['.repeat(100_000) }, 413, /payload_too_large/],
  ['a list without end', { body: `[${'1,'.repeat(50_000)}1]` }, 413, /payload_too_large/],
  [
    'a body that is too large',
    { body: `"${'x'.repeat(mcpLimits.mcpRequestBytesMax)}"` },
    413,
    /payload_too_large/,
  ],
  ['ten megabytes', { body: `"${'x'.repeat(10 * 1024 * 1024)}"` }, 413, /payload_too_large/],
];

for (const [what, sent, status, message] of table) {
  test(`${what}: ${status}`, async (t) => {
    const served = await serve(t);
    const answer = await send(served, sent).catch((error: NodeJS.ErrnoException) => {
      // A client that sends more than the server reads may find the connection closed before it reads the response.
      if (status === 413 && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) return undefined;
      throw error;
    });
    if (answer === undefined) return;
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.text, message);
    assert.doesNotMatch(answer.text, /file:\/\/|\.[mt]s:\d/, 'no stack');
    assert.equal(answer.headers['mcp-session-id'], undefined);
  });
}

test('no body of a call of a tool occupies the thread', async (t) => {
  const served = await serve(t);
  const call = (args: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_context","arguments":${args}}}`;
  const names = (count: number) => Array.from({ length: count }, (_, index) => `"n${index}":1`).join();
  const bodies: [what: string, body: string, status: number][] = [
    ['names of arguments', call(`{${names(900)}}`), 200],
    ['very many names', call(`{${names(9_000)}}`), 413],
    ['names below an argument', call(`{"a":{${names(900)}}}`), 200],
    ['a batch', `[${Array.from({ length: 1_000 }, (_, index) => list(index)).join()}]`, 413],
    ['a long text', call(`{"a":"${'\\"'.repeat(100_000)}"}`), 200],
  ];
  for (const [what, body, expected] of bodies) {
    const { status } = await requireShortTurns(() => send(served, { body }), { what });
    assert.equal(status, expected, what);
  }
});

test('a service with a public name accepts other hosts, and its own pages', async (t) => {
  const served = await serve(t, { publicUrl: 'https://weir.example' });
  for (const [headers, status] of [
    [{ host: 'weir.example' }, 200],
    [{ host: 'weir.svc.cluster.local' }, 200],
    [{ origin: 'https://weir.example' }, 200],
    [{ origin: 'http://localhost:1234' }, 403],
    [{ origin: 'https://weir.example.evil' }, 403],
  ] as const) {
    assert.equal((await send(served, { body: list(), headers })).status, status, JSON.stringify(headers));
  }
});

const refusals: [error: ApiError, status: number, retryAfter: string | undefined][] = [
  [new ApiError('invalid_api_key'), 401, undefined],
  [new ApiError('rate_limited', undefined, { retryAfterSeconds: 7 }), 429, '7'],
];

for (const [error, status, retryAfter] of refusals) {
  test(`a refused caller gets ${status} before its body is read`, async (t) => {
    const served = await serve(t, {
      whoOf: async () => {
        throw error;
      },
    });
    const answer = await send(served, { body: list() });
    assert.equal(answer.status, status);
    assert.deepEqual(JSON.parse(answer.text), { error: error.code, message: error.message });
    assert.equal(answer.headers['retry-after'], retryAfter);
    assert.equal(answer.headers['www-authenticate'], undefined);
  });
}

test('every message of a batch from an old client gets a response', async (t) => {
  const served = await serve(t);
  const { status, text } = await send(served, {
    body: `[${list(1)},${list(2)}]`,
    headers: { 'mcp-protocol-version': '2025-03-26' },
  });
  assert.equal(status, 200);
  assert.equal(text.match(/"get_context"/g)?.length, 2);
});

test('a custom handler for clients of 2025 gets only their requests, authenticated and parsed', async (t) => {
  const got: unknown[] = [];
  const served = await serve(t, {
    whoOf: async ({ headers }) => {
      if (headers['service-api-key'] !== 'right') throw new ApiError('invalid_api_key');
      return { name: 'somebody' };
    },
    legacy: async ({ headers }, given) => {
      got.push([given!.authInfo!.extra, given!.parsedBody, headers.get('service-api-key')]);
      return Response.json('theirs', { headers: { 'mcp-session-id': 'an-id' } });
    },
  });
  const ours = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
  const key = { 'service-api-key': 'right' };
  const modern = { ...key, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  const rows: [sent: Sent, status: number, message: RegExp, sessionId?: string][] = [
    [{ body: list(), headers: key }, 200, /^"theirs"$/, 'an-id'],
    [{ body: ours, headers: modern }, 200, /"get_context"/],
    [{ body: list(), headers: modern }, 400, /-32602/],
    [{ body: list() }, 401, /invalid_api_key/],
    [{ body: list(), headers: { ...key, origin: 'https://evil.example' } }, 403, /forbidden/],
    [{ body: '{', headers: key }, 400, /-32700/],
    [{ method: 'GET', headers: { ...key, 'mcp-session-id': 'an-id' } }, 405, /POST/],
    [{ method: 'DELETE', headers: { ...key, 'mcp-session-id': 'an-id' } }, 405, /POST/],
  ];
  for (const [sent, status, message, sessionId] of rows) {
    const answer = await send(served, sent);
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.text, message);
    assert.equal(answer.headers['mcp-session-id'], sessionId);
  }
  assert.deepEqual(got, [[{ who: { name: 'somebody' } }, JSON.parse(list()), null]]);
});

for (const era of ['modern', 'legacy'] as const) {
  test(`a ${era} client finds everything`, async (t) => {
    const client = await (await serve(t)).connect(era);
    assert.equal(client.getNegotiatedProtocolVersion(), era === 'modern' ? '2026-07-28' : '2025-11-25');
    assert.match(client.getInstructions() ?? '', /get_context first/);
    assert.equal((await client.listTools()).tools.length, 36);
    const { resources } = await client.listResources();
    assert.ok(resources.some(({ uri }) => uri === 'events://filter-language'));
    assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
    assert.equal((await client.listPrompts()).prompts.length, 5);
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      assert.ok('text' in contents[0]! && contents[0].text.length > 0, uri);
    }
    await assert.rejects(client.readResource({ uri: 'docs://../package.json' }), /-3200|not found/i);
    await assert.rejects(client.callTool({ name: 'list_topic', arguments: {} }), /did you mean list_topics/);
    await assert.rejects(client.listTools({ cursor: 'x' }), /Unknown cursor/);
  });

  test(`a ${era} client gets progress notifications of a search`, async (t) => {
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const served = await serve(t, {
      answers: {
        list_topics: async () => {
          await enough;
          return { topics: [], recently_deleted_topics: null };
        },
      },
    });
    const client = await served.connect(era);
    const progressValues: number[] = [];
    await client.callTool(
      { name: 'list_topics', arguments: { virtual_cluster_id: 'orders' } },
      {
        onprogress: ({ progress }) => {
          progressValues.push(progress);
          resolve();
        },
      },
    );
    assert.ok(progressValues.length > 0);
  });
}

test('a client that disconnects cancels its request', async (t) => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<AbortSignal>();
  const served = await serve(t, {
    answers: {
      list_topics: (_input: never, stop: AbortSignal) => {
        begin(stop);
        return new Promise(() => {});
      },
    },
  });
  const client = await served.connect();
  const gone = new AbortController();
  const call = client.callTool(
    { name: 'list_topics', arguments: { virtual_cluster_id: 'orders' } },
    { signal: gone.signal },
  );
  const stop = await begun;
  gone.abort();
  await assert.rejects(call);
  if (!stop.aborted) await once(stop, 'abort');
});

test('two hundred clients can wait at the same time', async (t) => {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  const served = await serve(t, {
    answers: {
      list_topics: async () => {
        waiting++;
        if (waiting === 200) resolve();
        await all;
        return { topics: [], recently_deleted_topics: null };
      },
    },
  });
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_topics', arguments: { virtual_cluster_id: 'orders' } },
  });
  const answers = await Promise.all(Array.from({ length: 200 }, () => send(served, { body: call })));
  assert.ok(answers.every(({ status }) => status === 200));
});

/** Names of properties in a JSON schema, at every depth. */
function* namesIn(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties } = schema as { readonly properties?: object };
  yield* Object.keys(properties ?? {});
  for (const inner of Object.values(schema)) yield* namesIn(inner);
}

test('prompts name tools that exist, and their arguments are completed', async (t) => {
  const client = await (await serve(t)).connect();
  const { tools } = await client.listTools();
  const { prompts } = await client.listPrompts();
  const toolArguments = new Set(tools.flatMap(({ inputSchema }) => [...namesIn(inputSchema)]));
  for (const { name, arguments: promptArguments = [] } of prompts) {
    for (const argument of promptArguments)
      assert.ok(toolArguments.has(argument.name), `no tool has an argument ${argument.name}`);
    const { messages } = await client.getPrompt({ name, arguments: { virtual_cluster_id: 'orders' } });
    const { text } = messages[0]!.content as { text: string };
    const named = text.match(/\b(?:list|describe|get|search|aggregate|compare|explain)_[a-z_]+\b/g) ?? [];
    assert.ok(named.length > 0);
    for (const tool of named)
      assert.ok(
        tools.some((one) => one.name === tool),
        `${name}: ${tool}`,
      );
  }
  await assert.rejects(client.getPrompt({ name: 'cluster_health' }), /virtual_cluster_id is missing/);

  const completions: [
    ref: string,
    argument: string,
    value: string,
    given: Record<string, string>,
    expected: string,
  ][] = [
    ['cluster_health', 'virtual_cluster_id', 'ord', {}, 'vcn_orders'],
    ['consumer_lag', 'group', 's', { virtual_cluster_id: 'orders' }, 'shop'],
    ['what_changed', 'group_by', 'data.op', {}, 'data.operation'],
  ];
  for (const [name, argument, value, given, expected] of completions) {
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name },
      argument: { name: argument, value },
      context: { arguments: given },
    });
    assert.ok(completion.values.includes(expected), `${name}.${argument}: ${completion.values}`);
  }
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'events://types/{type}' },
    argument: { name: 'type', value: 'acl' },
  });
  assert.deepEqual(completion.values, ['acl_logs']);
});
