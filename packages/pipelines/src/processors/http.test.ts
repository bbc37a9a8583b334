import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Clock, systemClock } from '@weir/core';
import {
  openProcessor,
  type ProcessorOptions,
  problemsOfProcessor,
  processed,
  shown,
} from '../../testing/open-processor.ts';
import { catalogueWith, testServices } from '../../testing/run-pipeline.ts';
import { componentOf } from '../component/component-spec.ts';
import { Message } from '../component/message.ts';
import { listedAccess } from '../component/outbound-access.ts';

interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}

type Answer = (received: Received, response: ServerResponse, count: number) => void;

/** A server that keeps what it gets. */
async function serve(t: TestContext, answer: Answer) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const entry = { request, body: Buffer.concat(chunks).toString() };
    received.push(entry);
    answer(entry, response, received.length);
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function open(t: TestContext, fields: object, options?: ProcessorOptions) {
  const processor = await openProcessor({ http: { retry_period: '1ms', retries: 0, ...fields } }, options);
  t.after(() => processor.close?.());
  return processor;
}

const echo: Answer = ({ request, body }, response) =>
  response.end(`${request.method} ${request.url} ${body}`);

test('a message is sent as a request, and its content replaced by the answer', async (t) => {
  const { url, received } = await serve(t, ({ request, body }, response) =>
    response
      .writeHead(201, { 'X-Id': '7', 'X-Other': '8' })
      .end(`${request.method} ${request.url} ${body} ${request.headers['x-kind']}`),
  );
  const processor = await open(t, {
    url: `${url}/\${! json("id") }?a=b`,
    verb: 'PUT',
    headers: { 'X-Kind': `\${! meta("kind") }` },
    metadata: { include_prefixes: ['sent_'] },
    extract_headers: { include_patterns: ['^x-i'] },
  });
  const metadata = new Map([
    ['kind', 'k'],
    ['sent_by', 'me'],
    ['x-other', 'before'],
  ]);
  const [answer] = await processed(processor, [Message.of('{"id":3}', metadata)]);
  assert.equal(shown(answer!), 'PUT /3?a=b {"id":3} k');
  assert.deepEqual(Object.fromEntries(answer!.metadata), {
    ...Object.fromEntries(metadata),
    http_status_code: 201,
    'x-id': '7',
  });
  const { headers } = received[0]!.request;
  assert.deepEqual([headers['content-type'], headers.sent_by], ['application/octet-stream', 'me']);
});

test('what a server answers decides whether a request is repeated', async (t) => {
  // biome-ignore format: a table
  const cases: readonly [statuses: number[], fields: object, requests: number, outcome: string | number][] = [
    [[200],           {},                                     1, 200],
    [[500, 200],      { retries: 1 },                         2, 200],
    [[500, 500, 200], { retries: 1 },                         2, 'status 500'],
    [[429, 503, 200], { retries: 3 },                         3, 200],
    [[404, 200],      { retries: 3, drop_on: [404] },         1, 'status 404'],
    [[409],           { successful_on: [409] },               1, 409],
    [[202, 200],      { retries: 1, backoff_on: [202] },      2, 200],
    [[302],           {},                                     1, 'status 302'],
  ];
  for (const [statuses, fields, requests, outcome] of cases) {
    const { url, received } = await serve(t, (_received, response, count) =>
      response.writeHead(statuses[count - 1]!).end('why\nso'),
    );
    const processor = await open(t, { url, ...fields });
    const [answer] = await processed(processor, [Message.of('x')]);
    const name = `${statuses} ${JSON.stringify(fields)}`;
    assert.equal(received.length, requests, name);
    if (typeof outcome === 'number') {
      assert.equal(answer!.error, undefined, name);
      assert.equal(answer!.metadata.get('http_status_code'), outcome, name);
    } else {
      assert.equal(answer!.content.toString(), 'x', name);
      assert.equal(answer!.error!.message, `POST ${url}/: the answer has ${outcome}: why so`, name);
      assert.equal(answer!.metadata.get('http_status_code'), Number(outcome.slice(7)), name);
    }
  }
});

test('pauses grow after codes that say so, up to a limit', async (t) => {
  const { url } = await serve(t, (_received, response, count) =>
    response.writeHead(count < 5 ? 429 : count < 6 ? 500 : 200).end(),
  );
  const pauses: number[] = [];
  const clock: Clock = {
    ...systemClock,
    after(delayMs, run) {
      if (delayMs >= 1000) return systemClock.after(delayMs, run);
      pauses.push(delayMs);
      return systemClock.after(0, run);
    },
  };
  const services = { ...testServices(), clock };
  const fields = { url, retries: 9, retry_period: '100ms', max_retry_backoff: '350ms' };
  const [answer] = await processed(await open(t, fields, { services }), [Message.of('x')]);
  assert.equal(answer!.error, undefined);
  assert.deepEqual(pauses, [100, 200, 350, 350, 100]);
});

test('batches are several requests, or one with parts', async (t) => {
  const { url, received } = await serve(t, echo);
  const batch = [Message.of('a'), Message.of('b')];
  for (const parallel of [false, true]) {
    const answers = await processed(await open(t, { url, parallel }), batch);
    assert.deepEqual(answers.map(shown), ['POST / a', 'POST / b']);
  }
  const parts = await serve(t, ({ request, body }, response) =>
    response.setHeader('content-type', request.headers['content-type']!).end(body),
  );
  const processor = await open(t, {
    url: parts.url,
    batch_as_multipart: true,
    headers: { 'Content-Type': `text/\${! batch_index() }` },
  });
  const answers = await processed(processor, [...batch, Message.of('--x\r\n\r\n')]);
  assert.deepEqual(answers.map(shown), ['a', 'b', '--x\r\n\r\n']);
  assert.match(
    parts.received[0]!.body,
    /^--\w+\r\nContent-Type: text\/0\r\n\r\na\r\n--\w+\r\nContent-Type: text\/1/,
  );
  assert.equal(received.length, 4);
});

test('a payload is sent instead of the content', async (t) => {
  const { url } = await serve(t, echo);
  const processor = await open(t, { url, payload: `p \${! content() }` });
  assert.deepEqual((await processed(processor, [Message.of('x')])).map(shown), ['POST / p x']);
});

test('redirects are followed, without credentials to another server', async (t) => {
  const other = await serve(t, ({ request, body }, response) =>
    response.end(`${request.method} ${body} ${request.headers.authorization} ${request.headers['x-a']}`),
  );
  const { url } = await serve(t, ({ request }, response) => {
    const [, status, place] = /^\/(\d+)\/(\w+)$/.exec(request.url!) ?? [];
    if (status === undefined) return response.end(`${request.method} ${request.headers.authorization}`);
    const location = { own: '/end', other: other.url, loop: request.url!, odd: 'ftp://a' }[place!]!;
    return response.writeHead(Number(status), { location }).end();
  });
  // biome-ignore format: a table
  const cases: readonly [path: string, outcome: string][] = [
    ['301/own',   'GET Basic dTpw'],
    ['307/own',   'POST Basic dTpw'],
    ['303/other', 'GET  undefined 1'],
    ['308/other', 'POST x undefined 1'],
    ['302/loop',  '! POST URL/302/loop: the server redirects more than 10 times'],
    ['302/odd',   '! POST URL/302/odd: the server redirects to something else than http:// or https://'],
  ];
  for (const [path, outcome] of cases) {
    const processor = await open(t, {
      url: `${url}/${path}`,
      headers: { 'X-A': '1' },
      basic_auth: { enabled: true, username: 'u', password: 'p' },
    });
    const [answer] = await processed(processor, [Message.of('x')]);
    assert.equal(shown(answer!).replace(url, 'URL'), outcome, path);
  }
});

test('a token of a client is fetched once, and again when it is refused', async (t) => {
  let issued = 0;
  const { url, received } = await serve(t, ({ request, body }, response) => {
    if (request.url === '/token') {
      if (request.headers.authorization !== undefined) return response.writeHead(401).end();
      assert.equal(
        body,
        'grant_type=client_credentials&scope=s1+s2&audience=a&audience=b&client_id=me&client_secret=hush',
      );
      return response.end(
        JSON.stringify({ access_token: `t${++issued}`, expires_in: 3600, token_type: 'bearer' }),
      );
    }
    const { authorization } = request.headers;
    return response
      .writeHead(authorization === 'Bearer t1' && received.length > 6 ? 401 : 200)
      .end(authorization);
  });
  const oauth2 = {
    enabled: true,
    client_key: 'me',
    client_secret: 'hush',
    token_url: `${url}/token`,
    scopes: ['s1', 's2'],
    endpoint_params: { audience: ['a', 'b'] },
  };
  const processor = await open(t, { url, oauth2, retries: 1 });
  const answers: string[] = [];
  for (let n = 0; n < 6; n++) answers.push(...(await processed(processor, [Message.of('x')])).map(shown));
  assert.deepEqual(answers, [...Array(4).fill('Bearer t1'), 'Bearer t2', 'Bearer t2']);
});

test('a server that asks for a digest gets one', async (t) => {
  // The example of RFC 7616, section 3.9.1, with its client nonce replaced.
  const { url } = await serve(t, ({ request }, response) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) return response.end(authorization);
    const challenge = 'Digest realm="r", qop="auth, auth-int", algorithm=SHA-256, nonce="n", opaque="o"';
    return response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  const digest_auth = { enabled: true, username: 'u', password: 'p' };
  const [answer] = await processed(await open(t, { url, digest_auth }), [Message.of('x')]);
  assert.match(
    shown(answer!),
    /^Digest username="u", realm="r", nonce="n", uri="\/", response="[0-9a-f]{64}", opaque="o", algorithm=SHA-256, qop=auth, nc=00000001, cnonce="[0-9a-f]{32}"$/,
  );
});

test('requests wait for the rate limit', async (t) => {
  const { url } = await serve(t, echo);
  const takes: number[] = [];
  const limit = componentOf('rate_limit', {
    name: 'stubborn',
    about: 'Lets every second request pass.',
    fields: {},
    open: () => ({
      take: async () => (takes.push(1) % 2 === 0 ? 0 : 1),
      close: async () => {},
    }),
  });
  const processor = await open(
    t,
    { url, rate_limit: 'l' },
    {
      all: catalogueWith(limit),
      more: 'rate_limit_resources: [{label: l, stubborn: {}}]',
    },
  );
  const answers = await processed(processor, [Message.of('a'), Message.of('b')]);
  assert.deepEqual(answers.map(shown), ['POST / a', 'POST / b']);
  assert.equal(takes.length, 4);
});

test('addresses that the pipeline may not connect to are refused, also behind a redirect', async (t) => {
  const { url, received } = await serve(t, (_received, response) => response.end());
  const { port } = new URL(url);
  const redirecting = await serve(t, (_received, response) =>
    response.writeHead(307, { location: url }).end(),
  );
  const targets: readonly [url: string, allowed: string][] = [
    [url, 'public'],
    [`http://localhost:${port}`, 'public'],
    ['http://169.254.169.254/latest', 'public'],
    [redirecting.url, `127.0.0.1:${new URL(redirecting.url).port}`],
  ];
  for (const [target, allowed] of targets) {
    const services = { ...testServices(), outbound: listedAccess([allowed]) };
    const [answer] = await processed(await open(t, { url: target }, { services }), [Message.of('x')]);
    assert.match(
      shown(answer!),
      /^! POST http:.* the host \S+ is an address that Weir may not connect to/,
      target,
    );
  }
  assert.deepEqual(received, []);
});

test('a server that is down, late or talks too much is one line', async (t) => {
  const down = await serve(t, echo);
  const silent = await serve(t, () => {});
  const [late] = await processed(await open(t, { url: silent.url, timeout: '20ms' }), [Message.of('x')]);
  assert.equal(shown(late!), `! POST ${silent.url}/: no response within 20 ms`);
  const [gone] = await processed(await open(t, { url: 'http://127.0.0.1:1/a?secret=1' }), [Message.of('x')]);
  assert.match(shown(gone!), /^! POST http:\/\/127\.0\.0\.1:1\/a: connect ECONNREFUSED/);
  const cases: readonly [fields: object, error: string][] = [
    [{ url: 'file:///etc/passwd' }, '! the URL has to begin with http:// or https://'],
    [{ url: `\${! json("a.b") }` }, '! the URL has to begin with http:// or https://'],
  ];
  for (const [fields, error] of cases)
    assert.equal(shown((await processed(await open(t, fields), [Message.of('{}')]))[0]!), error);
  assert.deepEqual(down.received, []);
});

test('managed pipelines read no files and use no proxy', () => {
  // biome-ignore format: a table
  const cases: readonly [fields: object, problem: string][] = [
    [{ proxy_url: 'http://p' },                               'proxy_url is not available in managed pipelines; run it with weir cli run-pipeline'],
    [{ tls: { root_cas_file: '/a' } },                        'root_cas_file is not available in managed pipelines; run it with weir cli run-pipeline'],
    [{ jwt: { private_key_file: '/a' } },                     'private_key_file is not available in managed pipelines; run it with weir cli run-pipeline'],
    [{ negotiate: { enabled: true } },                        'enabled has to be false: negotiate is not available in this release'],
    [{ rate_limit: 'none' },                                  'there is no rate_limit resource "none"; add it to rate_limit_resources'],
    [{ metadata: { include_patterns: ['(a'] } },              'include_patterns has a pattern with a problem: error parsing regexp: missing closing ): `(a`'],
  ];
  for (const [fields, problem] of cases)
    assert.deepEqual(problemsOfProcessor({ http: { url: 'http://a', ...fields } }), [problem]);
  assert.deepEqual(problemsOfProcessor({ http: { url: 'http://a', proxy_url: 'http://p' } }, true), []);
});
