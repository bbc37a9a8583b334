import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Clock, systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { type RegistryRefusal, RegistryUnavailable } from './client-error.ts';
import { RegistryClient } from './registry-client.ts';
import type { RegistryClientOptions } from './registry-connection.ts';
import { resolveReferences } from './resolve-references.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Reply {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

/** A server that answers with `reply` and records requests. */
async function serve(t: TestContext, reply: (seen: Seen, nth: number) => Reply | 'hangUp' | 'silence') {
  const seen: Seen[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse, body: string) => {
    const one = { method: request.method!, url: request.url!, headers: request.headers, body };
    seen.push(one);
    const replied = reply(one, seen.length);
    if (replied === 'silence') return;
    if (replied === 'hangUp') {
      request.socket.destroy();
      return;
    }
    const { status = 200, json, text, headers = {} } = replied;
    response.writeHead(status, headers).end(text ?? JSON.stringify(json));
  };
  const url = await listen(t, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
  });
  return { seen, url };
}

async function listen(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Shortens pauses, not timeouts. */
const hurried: Clock = {
  ...systemClock,
  after: (delayMs, run) => systemClock.after(delayMs >= 10_000 ? delayMs : 0, run),
};

function clientOf(t: TestContext, options: RegistryClientOptions): RegistryClient {
  const client = new RegistryClient({ clock: hurried, ...options });
  t.after(() => client.close());
  return client;
}

test('sends each call as the API has it', async (t) => {
  const { seen, url } = await serve(t, ({ url: path, method }) => {
    if (path.includes('compatibility')) return { json: { is_compatible: false, messages: ['no'] } };
    if (path.endsWith('/g/ids')) return { json: [{ context: '.', id: 7 }] };
    if (path.includes('/ids/7/versions')) return { json: [{ subject: 's', version: 2 }] };
    if (method === 'DELETE' && path.includes('/versions/')) return { json: 3 };
    if (method === 'DELETE') return { json: [1, 2] };
    if (path.startsWith('/base/subjects?') || path.startsWith('/base/contexts')) return { json: ['s'] };
    if (path.startsWith('/base/schemas?'))
      return { json: [{ subject: 's', version: 1, id: 1, schema: '"int"' }] };
    if (path.endsWith('/versions?deleted=true')) return { json: [1, 2] };
    if (path.startsWith('/base/config')) return { json: { compatibilityLevel: 'FULL' } };
    if (path.startsWith('/base/mode')) return { json: { mode: 'IMPORT' } };
    return { json: { schema: '"int"', id: 7, version: 2, subject: 's', guid: 'g', references: null } };
  });
  const client = clientOf(t, { urls: `${url}/base/` });
  const int = {
    schema: '"int"',
    schemaType: 'AVRO',
    references: [],
    id: 7,
    version: 2,
    subject: 's',
    guid: 'g',
  };

  const rows: [() => Promise<unknown>, string, unknown][] = [
    [() => client.subjects({ deleted: true }), 'GET /base/subjects?deleted=true', ['s']],
    [
      () => client.versions('a/b', { deleted: true }),
      'GET /base/subjects/a%2Fb/versions?deleted=true',
      [1, 2],
    ],
    [() => client.schemaOfVersion(':.c:s', 2), 'GET /base/subjects/%3A.c%3As/versions/2', int],
    [() => client.schemaOfVersion('s', 'latest'), 'GET /base/subjects/s/versions/latest', int],
    [() => client.schemaById(7, { subject: ':.c:' }), 'GET /base/schemas/ids/7?subject=%3A.c%3A', int],
    [() => client.schemaByGuid('g'), 'GET /base/schemas/guids/g', int],
    [() => client.idsOfGuid('g'), 'GET /base/schemas/guids/g/ids', [{ context: '.', id: 7 }]],
    [() => client.versionsOfId(7), 'GET /base/schemas/ids/7/versions', [{ subject: 's', version: 2 }]],
    [
      () => client.schemas({ offset: 5, limit: 10 }),
      'GET /base/schemas?offset=5&limit=10',
      [{ subject: 's', version: 1, id: 1, schema: '"int"', schemaType: 'AVRO', references: [] }],
    ],
    [() => client.contexts(), 'GET /base/contexts', ['s']],
    [() => client.config(), 'GET /base/config', { compatibilityLevel: 'FULL' }],
    [
      () => client.config('s', { defaultToGlobal: true }),
      'GET /base/config/s?defaultToGlobal=true',
      { compatibilityLevel: 'FULL' },
    ],
    [() => client.mode('s'), 'GET /base/mode/s', 'IMPORT'],
    [() => client.lookup('s', { schema: '"int"' }), 'POST /base/subjects/s', int],
    [
      () => client.compatibility('s', 'latest', { schema: '"int"' }),
      'POST /base/compatibility/subjects/s/versions/latest?verbose=true',
      { isCompatible: false, messages: ['no'] },
    ],
    [
      () => client.compatibility('s', 'all', { schema: '"int"' }),
      'POST /base/compatibility/subjects/s/versions?verbose=true',
      { isCompatible: false, messages: ['no'] },
    ],
    [
      () => client.register('s', { schema: '"int"', id: 7, version: 2 }, { normalize: true }),
      'POST /base/subjects/s/versions?normalize=true',
      { id: 7, version: 2, guid: 'g' },
    ],
    [() => client.deleteSubject('s', { permanent: true }), 'DELETE /base/subjects/s?permanent=true', [1, 2]],
    [() => client.deleteVersion('s', 3), 'DELETE /base/subjects/s/versions/3', 3],
    [() => client.putConfig({ compatibility: 'FULL' }, 's'), 'PUT /base/config/s', undefined],
    [() => client.deleteConfig('s'), 'DELETE /base/config/s', undefined],
    [() => client.putMode('IMPORT', 's', { force: true }), 'PUT /base/mode/s?force=true', undefined],
    [() => client.deleteMode(), 'DELETE /base/mode', undefined],
  ];
  for (const [call, request, result] of rows) {
    assert.deepEqual(await call(), result, request);
    const { method, url: path } = seen.at(-1)!;
    assert.equal(`${method} ${path}`, request);
  }
  const register = seen.find(({ url: path }) => path.includes('normalize'))!;
  assert.deepEqual(JSON.parse(register.body), { schema: '"int"', id: 7, version: 2 });
  assert.equal(register.headers['content-type'], 'application/vnd.schemaregistry.v1+json');
});

test('returns nothing for what the registry does not have, and refuses a 404 of something else', async (t) => {
  const { url } = await serve(t, ({ url: path }) =>
    path.includes('/1')
      ? { status: 404, json: { error_code: 40403, message: 'Schema 1 not found' } }
      : { status: 404, text: 'x' },
  );
  const client = clientOf(t, { urls: url });
  assert.equal(await client.schemaById(1), undefined);
  await assert.rejects(
    client.schemaById(2),
    new RegExp(
      `^RegistryRefusal: ${url}: not found; check that the URL is the base URL of a registry \\(status 404\\)$`,
    ),
  );
});

test('reports the error of the registry in one line, with its code', async (t) => {
  const { url } = await serve(t, () => ({
    status: 409,
    json: { error_code: 40901, message: 'Schema being registered\nis incompatible' },
  }));
  const client = clientOf(t, { urls: url });
  await assert.rejects(client.register('s', { schema: '"int"' }), (error: RegistryRefusal) => {
    assert.equal(error.errorCode, 40901);
    assert.equal(error.status, 409);
    assert.equal(error.message, `${url}: Schema being registered is incompatible (error 40901)`);
    return true;
  });
});

const badAnswers: Record<string, [Reply, RegExp]> = {
  'a redirect': [
    { status: 302, headers: { location: 'http://elsewhere/' }, text: '' },
    /redirects to http:\/\/elsewhere\/; use that URL instead \(status 302\)/,
  ],
  'no JSON': [{ text: '<html>' }, /the response is not JSON; check that the URL/],
  'another form': [{ json: { schema: 5 } }, /the response has an unexpected form/],
  'deep nesting': [{ text: `${'['.repeat(100)}${']'.repeat(100)}` }, /the response is nested deeper than 64/],
  'too many bytes': [{ text: JSON.stringify('x'.repeat(2000)) }, /response exceeds 1000 bytes/],
  'refused credentials': [{ status: 401, text: '' }, /the credentials were refused \(status 401\)/],
};
for (const [name, [reply, message]] of Object.entries(badAnswers)) {
  test(`refuses an answer with ${name}`, async (t) => {
    const { url } = await serve(t, () => reply);
    const client = clientOf(t, { urls: url, answerBytesMax: 1000 });
    await assert.rejects(client.schemaById(1), message);
  });
}

const found = { json: { schema: '"int"' } };

test('repeats reads after temporary failures, at most four times', async (t) => {
  const { seen, url } = await serve(
    t,
    (_, nth) => (['hangUp', { status: 503 }, { status: 429 }, found] as const)[nth - 1] ?? 'hangUp',
  );
  const client = clientOf(t, { urls: url });
  assert.equal((await client.schemaById(1))?.schema, '"int"');
  assert.equal(seen.length, 4);
  await assert.rejects(client.schemaById(1), RegistryUnavailable);
  assert.equal(seen.length, 8);
});

test('does not repeat a change whose fate is unknown, nor a refused read', async (t) => {
  const { seen, url } = await serve(t, ({ method }) =>
    method === 'GET' ? { status: 400, json: {} } : { status: 500, json: {} },
  );
  const client = clientOf(t, { urls: url });
  await assert.rejects(client.register('s', { schema: '"int"' }), /the request failed \(status 500\)/);
  await assert.rejects(client.schemaById(1), /\(status 400\)/);
  assert.equal(seen.length, 2);
});

test('goes to the next address when one is away, for changes too, and stays there', async (t) => {
  const unused = await listen(t, () => {});
  const { seen, url } = await serve(t, () => ({ json: { id: 1, schema: '"int"' } }));
  const client = clientOf(t, { urls: `http://127.0.0.1:1, ${url}, ${unused}` });
  assert.deepEqual(await client.register('s', { schema: '"int"' }), { id: 1 });
  assert.equal(client.place, url);
  await client.schemaById(1);
  assert.equal(seen.length, 2);
});

test('gives up on an answer that does not come in time', async (t) => {
  const clock = new HandClock();
  const { seen, url } = await serve(t, () => {
    clock.advance(10_000);
    return 'silence';
  });
  const client = clientOf(t, { urls: url, clock, attemptsMax: 1 });
  await assert.rejects(client.schemaById(1), /no response within 10000 ms/);
  assert.equal(seen.length, 1);
});

test('stops with the caller and when it is closed', async (t) => {
  const stop = new AbortController();
  const { url } = await serve(t, () => {
    stop.abort(new Error('enough'));
    return 'silence';
  });
  const client = clientOf(t, { urls: url });
  await assert.rejects(client.schemaById(1, { stop: stop.signal }), /enough/);
  client.close();
  await assert.rejects(client.schemaById(1), /the client of the registry was closed/);
});

test('sends credentials', async (t) => {
  const { seen, url } = await serve(t, () => found);
  await clientOf(t, { urls: url, credentials: { kind: 'basic', username: 'ü', password: 'p:w' } }).schemaById(
    1,
  );
  await clientOf(t, { urls: url, credentials: { kind: 'bearer', token: async () => 'abc' } }).schemaById(1);
  assert.deepEqual(
    seen.map(({ headers }) => headers.authorization),
    [`Basic ${Buffer.from('ü:p:w').toString('base64')}`, 'Bearer abc'],
  );
});

test('keeps connections open, and opens no more than its limit', async (t) => {
  const sockets = new Set<unknown>();
  const url = await listen(t, (request, response) => {
    sockets.add(request.socket);
    systemClock.after(0, () => response.end(JSON.stringify({ schema: '"int"' })));
  });
  const client = clientOf(t, { urls: url, connectionsMax: 2 });
  await Promise.all(Array.from({ length: 20 }, (_, id) => client.schemaById(id)));
  assert.equal(sockets.size, 2);
});

const addresses: Record<string, RegExp> = {
  '': /no URL given; use http:\/\/host:8081/,
  'localhost:8081': /"localhost:8081" is not an http:\/\/ or https:\/\/ URL/,
  'http://u:secret@host': /^InvalidRegistryAddress: has credentials in the URL/,
  'http://host/?a=b': /has a query or a fragment/,
  'arn:aws:glue:us-east-1:1:registry/r': /AWS Glue is not supported/,
  'https://glue.us-east-1.amazonaws.com': /AWS Glue is not supported/,
};
for (const [urls, message] of Object.entries(addresses)) {
  test(`refuses the address ${JSON.stringify(urls)}`, () => {
    assert.throws(() => new RegistryClient({ urls }), message);
  });
}

test('resolves references, each version once, in the context of the schema', async (t) => {
  const { seen, url } = await serve(t, ({ url: path }) => {
    const references = path.includes('a/versions') ? [{ name: 'B', subject: 'b', version: 1 }] : [];
    return { json: { schema: `text of ${decodeURIComponent(path)}`, references } };
  });
  const client = clientOf(t, { urls: url });
  const references = [
    { name: 'A', subject: 'a', version: 1 },
    { name: 'B', subject: ':.c:b', version: 1 },
  ];
  const source = await resolveReferences(
    client,
    { schema: 'root', schemaType: 'AVRO', references },
    { subject: ':.c:root' },
  );
  assert.deepEqual(
    seen.map(({ url: path }) => path),
    ['/subjects/%3A.c%3Aa/versions/1?deleted=true', '/subjects/%3A.c%3Ab/versions/1?deleted=true'],
  );
  assert.equal(source.references[0]!.source.references[0]!.source, source.references[1]!.source);
});

test('refuses references that are missing, endless, or to themselves', async () => {
  const reference = (version: number) => ({ name: 'A', subject: 'a', version });
  const schemaOf = (version: number) => ({
    schema: 'x',
    schemaType: 'AVRO' as const,
    references: [reference(version)],
  });
  const client = (next: (version: number) => number | undefined) => ({
    place: 'p',
    schemaOfVersion: async (_: string, version: number | 'latest') => {
      const after = next(Number(version));
      return after === undefined ? undefined : schemaOf(after);
    },
  });
  await assert.rejects(
    resolveReferences(
      client(() => undefined),
      schemaOf(1),
    ),
    /version 1 of subject a, which the schema refers to, does not exist/,
  );
  await assert.rejects(
    resolveReferences(
      client((version) => version),
      schemaOf(1),
    ),
    /refers to itself/,
  );
  await assert.rejects(
    resolveReferences(
      client((version) => version + 1),
      schemaOf(1),
    ),
    /nested deeper than 32/,
  );
});
