import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createClient, openApiDocument, operationNames, printJson } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { jsonLog } from '@weir/core';
import type { HandClock } from '@weir/core/testing';
import { type CallInit, startTestApi } from '../../testing/api-server.ts';
import { appGrant, makeAccount } from '../../testing/two-accounts.ts';
import { until } from '../../testing/until.ts';
import { controlPlaneLimits } from '../limits.ts';
import type { ApiServerOptions } from './api-server.ts';
import { publicBody, usualBody } from './request-body.ts';

async function start(t: TestContext, options: Partial<ApiServerOptions> = {}) {
  const api = await startTestApi(t, options);
  const account = await makeAccount(api.accounts, 'Ours');
  const key = await account.key('app', appGrant(account.a.id));
  const callWithKey = (name: string, init: CallInit = {}) =>
    api.call(name, { ...init, headers: { 'service-api-key': key, ...init.headers } });
  return { ...api, account, key, callWithKey };
}

test('how an operation is called', async (t) => {
  const { account, callWithKey } = await start(t);
  const id = account.a.clusterId;
  const json = { 'content-type': 'application/json' };
  const describe = 'describe_virtual_cluster';

  // biome-ignore format: a table
  const cases: [what: string, name: string, init: CallInit, status: number, message?: RegExp][] = [
    ['POST',                    describe,                             { body: { virtual_cluster_id: id } },            200],
    ['GET',                     `${describe}?virtual_cluster_id=${id}`, { method: 'GET' },                             200],
    ['no body for no fields',   'list_virtual_clusters',              { body: '', headers: {} },                       200],
    ['with a charset',          'list_workspaces', { body: '{}', headers: { 'content-type': 'application/json; charset=UTF-8' } }, 200],
    ['GET of a write',          'create_topic',                       { method: 'GET' },                               405],
    ['another method',          describe,                             { method: 'PUT', body: '{}' },                   405],
    ['HEAD',                    'list_workspaces',                    { method: 'HEAD' },                              405],
    ['a form',                  describe, { body: `virtual_cluster_id=${id}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
    ['text',                    describe, { body: '{}', headers: { 'content-type': 'text/plain' } },                   415],
    ['what is almost JSON',     describe, { body: '{}', headers: { 'content-type': 'application/json-patch+json' } },  415],
    ['another charset',         describe, { body: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } }, 415],
    ['compressed',              describe, { body: '{}', headers: { ...json, 'content-encoding': 'gzip' } },            415],
    ['broken JSON',             describe, { body: '{"virtual_cluster_id":' },                                          400, /not JSON/],
    ['a list',                  describe, { body: '[]' },                                                              400],
    ['a very deep one',         describe, { body: '['.repeat(200_000) },                                               400],
    ['nothing where something is needed', describe, { body: {} },                                                      400, /virtual_cluster_id/],
    ['a wrong type',            describe, { body: { virtual_cluster_id: 7 } },                                         400, /virtual_cluster_id: expected string/],
    ['an unknown field',        describe, { body: { virtual_cluster_id: id, colour: 'red' } },                         400, /unknown field "colour"/],
    ['a field twice',           describe, { body: `{"virtual_cluster_id":"${id}", "virtual_cluster_id" :"x"}` },       400, /"virtual_cluster_id" is given twice/],
    ['twice in other letters',  describe, { body: `{"virtual_cluster_id":"${id}","virtual_cluster\\u005fid":"x"}` },   400, /given twice/],
    ['twice in a query',        `${describe}?virtual_cluster_id=${id}&virtual_cluster_id=x`, { method: 'GET' },        400, /given twice/],
    ['an unknown operation',    'list_topic',                         {},                                              404, /did you mean "list_topics"\?/],
    ['nothing like one',        'quite_something_else_altogether',    {},                                              404, /openapi\.json/],
    ['what objects have',       'toString',                           {},                                              404],
    ['the prototype',           '__proto__',                          {},                                              404],
    ['a slash too many',        'list_topics/',                       {},                                              404, /did you mean "list_topics"/],
  ];
  for (const [what, name, init, status, message] of cases) {
    const answer = await callWithKey(name, init);
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    if (message !== undefined) assert.match(String(answer.json.message), message, what);
    if (status !== 200 && init.method !== 'HEAD')
      assert.deepEqual(Object.keys(answer.json), ['error', 'message'], what);
    assert.equal(answer.headers['cache-control'], 'no-store', what);
  }
});

/** Gives a call the turns that it waits for while its body is parsed. */
async function inTurns<Answer>(clock: HandClock, call: Promise<Answer>): Promise<Answer> {
  let isOver = false;
  const ended = call.finally(() => {
    isOver = true;
  });
  await until(() => {
    clock.advance(0);
    return isOver;
  });
  return ended;
}

test('bodies that are too large are refused', async (t) => {
  const { callWithKey, call, port, key } = await start(t);
  const large = JSON.stringify({ virtual_cluster_id: 'x'.repeat(apiLimits.apiRequestBytesMax) });
  assert.equal((await callWithKey('describe_topic', { body: large })).status, 413);
  const anonymous = {
    email: 'a@example.com',
    password: 'x'.repeat(controlPlaneLimits.apiPublicRequestBytesMax),
  };
  assert.equal(
    (await call('sign_in', { body: anonymous })).status,
    413,
    'the limit of anonymous callers is lower',
  );

  // Without a content length.
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write(
    `POST /api/v1/describe_topic HTTP/1.1\r\nHost: x\r\nservice-api-key: ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const chunk = 'x'.repeat(0x10000);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  socket.on('error', () => {});
  for (let sent = 0; sent <= apiLimits.apiRequestBytesMax && answer === ''; sent += chunk.length) {
    if (!socket.write(`10000\r\n${chunk}\r\n`))
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
  await until(() => answer.includes('payload_too_large'));
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.match(answer, /connection: close/i);
});

test('a body of an unauthenticated caller is not parsed if a key is needed, and otherwise bounded before parsing', async (t) => {
  const { call, callWithKey, metrics, deps } = await start(t);
  const mark = 'mark of a body';
  let parsed = 0;
  const { parse } = JSON;
  t.mock.method(JSON, 'parse', (text: string, reviver?: never) => {
    if (text.includes(mark)) parsed++;
    return parse(text, reviver) as unknown;
  });
  const { bytesMax, depthMax, valuesMax } = publicBody;
  const many = JSON.stringify([mark, ...Array<number>(valuesMax).fill(1)]);
  const deep = `${'['.repeat(depthMax + 1)}"${mark}"${']'.repeat(depthMax + 1)}`;
  const long = JSON.stringify({ email: mark, password: 'x'.repeat(bytesMax) });
  const malformed = `{"email":"${mark}"`;

  // biome-ignore format: a table
  const cases: [what: string, name: string, body: string, status: number, parses: number, refused: Record<string, number>][] = [
    ['no key',          'describe_topic', JSON.stringify({ topic_name: mark }), 401, 0, {}],
    ['no key, deep',    'describe_topic', deep,                                 401, 0, {}],
    ['too deep',        'sign_in',        deep,                                 400, 0, { depth: 1 }],
    ['endless nesting', 'sign_in',        `"${mark}"${'['.repeat(10_000)}`,     400, 0, { depth: 2 }],
    ['too many values', 'sign_in',        many,                                 413, 0, { values: 1 }],
    ['too long',        'sign_in',        long,                                 413, 0, { bytes: 1 }],
    ['not JSON',        'sign_in',        malformed,                            400, 1, { syntax: 1 }],
  ];
  for (const [what, name, body, status, parses, refused] of cases) {
    parsed = 0;
    const answer = await call(name, { body });
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    assert.equal(parsed, parses, what);
    const rendered = metrics.render();
    for (const [reason, count] of Object.entries(refused))
      assert.ok(rendered.includes(`service_api_refused_bodies_total{reason="${reason}"} ${count}\n`), what);
  }
  // An authenticated caller may send more, but not without limit.
  assert.equal((await callWithKey('list_workspaces', { body: deep })).json.error, 'invalid_request');
  const endless = JSON.stringify({ a: Array<number>(usualBody.valuesMax).fill(1) });
  const answer = await inTurns(deps.clock, callWithKey('list_workspaces', { body: endless }));
  assert.equal(answer.status, 413);
});

test('of thousands of unknown fields the answer lists few', async (t) => {
  const { callWithKey, deps } = await start(t);
  const body = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`field_${n}`, n]));
  const answer = await inTurns(deps.clock, callWithKey('list_workspaces', { body }));
  assert.equal(answer.status, 400);
  assert.match(answer.text, /unknown field .*field_0.*9995 more/);
  assert.ok(answer.text.length < 1_000);
});

test('a body that does not arrive times out', async (t) => {
  const { deps, port, key } = await start(t);
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  const timersBefore = deps.clock.waiting;
  socket.write(
    `POST /api/v1/list_workspaces HTTP/1.1\r\nHost: x\r\nservice-api-key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  );
  await until(() => deps.clock.waiting > timersBefore);
  deps.clock.advance(10_001);
  await once(socket, 'close');
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.match(answer, /did not arrive within/);
});

test('an operation that does not end is aborted', async (t) => {
  let stop: AbortSignal | undefined;
  const { deps, callWithKey } = await start(t, {
    handlers: {
      list_workspaces: (_input, context) => {
        stop = context.stop;
        return new Promise(() => {});
      },
    },
  });
  const answering = callWithKey('list_workspaces');
  await until(() => stop !== undefined);
  deps.clock.advance(25_001);
  const answer = await answering;
  assert.deepEqual([answer.status, answer.json.error], [503, 'unavailable']);
  assert.equal(answer.headers['retry-after'], '1');
  assert.equal(stop?.aborted, true);
});

test('an operation whose caller closes the connection is aborted', async (t) => {
  let stop: AbortSignal | undefined;
  const { port, key } = await start(t, {
    handlers: {
      list_workspaces: (_input, context) => {
        stop = context.stop;
        return new Promise(() => {});
      },
    },
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST /api/v1/list_workspaces HTTP/1.1\r\nHost: x\r\nservice-api-key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
  );
  await until(() => stop !== undefined);
  assert.equal(stop!.aborted, false);
  socket.destroy();
  await until(() => stop!.aborted);
});

test('an internal error is logged, and the caller gets no details', async (t) => {
  const lines: string[] = [];
  const log = jsonLog({ level: 'debug', nowMs: () => 0, write: (line) => lines.push(line) });
  const { callWithKey, metrics } = await start(t, {
    log,
    handlers: {
      list_workspaces: () => {
        throw new TypeError('x is not a function');
      },
    },
  });
  const answer = await callWithKey('list_workspaces');
  assert.deepEqual(
    [answer.status, answer.json],
    [500, { error: 'internal', message: 'Internal error; see the log of the control plane.' }],
  );
  assert.match(lines.join('\n'), /list_workspaces.*x is not a function/);
  assert.equal(
    (await callWithKey('list_topics')).status,
    404,
    'an operation without a handler is not served',
  );
  const text = metrics.render();
  assert.match(text, /service_api_calls_total\{operation="list_workspaces",result="internal"\} 1/);
  assert.match(text, /service_api_calls_total\{operation="unknown",result="not_found"\} 1/);
});

test('the description of the API, for programs and for people', async (t) => {
  const { call } = await start(t);
  const document = await call('/api/v1/openapi.json', { method: 'GET' });
  assert.equal(document.status, 200);
  assert.deepEqual(document.json, JSON.parse(printJson(openApiDocument())));
  const page = await call('/api/v1/docs', { method: 'GET' });
  assert.equal(page.status, 200);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  const policy = String(page.headers['content-security-policy']);
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|script-src/);
  assert.doesNotMatch(page.text, /<script|https?:\/\/[^"<]*\.(?:js|css)|\son\w+=/);
  for (const name of operationNames) assert.ok(page.text.includes(`id="${name.replaceAll('/', '')}"`), name);
  const anchors = new Set([...page.text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
  const links = [...page.text.matchAll(/href="([^"]+)"/g)].map((match) => match[1]!);
  assert.ok(links.length > operationNames.length);
  for (const link of links) assert.ok(anchors.has(link.slice(1)), `${link} leads nowhere`);
  assert.equal((await call('/api/v1/docs', { method: 'POST' })).status, 404);
});

test('no answer redirects elsewhere', async (t) => {
  const { call } = await start(t);
  const paths = [
    '/api/v1/docs?next=https://evil.example',
    '/api/v1//evil.example',
    '/api/v1/sign_in?redirect=//evil.example',
    '/api/v1/..//evil.example',
  ];
  for (const path of paths) {
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await call(path, { method });
      assert.ok(status === 200 || status >= 400, `${method} ${path}: ${status}`);
      assert.equal(headers.location, undefined);
      assert.equal(headers.refresh, undefined);
    }
  }
});

test('the typed client accepts all answers', async (t) => {
  const { url, key, account } = await start(t);
  const client = createClient({
    baseUrl: url,
    fetch,
    headers: { 'service-api-key': key },
    checksAnswers: true,
  });
  const { virtual_clusters } = await client.call('list_virtual_clusters', {});
  assert.deepEqual(
    virtual_clusters.map(({ id }) => id),
    [account.a.clusterId],
  );
  await assert.rejects(
    client.call('describe_virtual_cluster', { virtual_cluster_id: account.b.clusterId }),
    ({ code }: { code: string }) => code === 'not_found',
  );
});
