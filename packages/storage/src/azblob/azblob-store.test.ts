import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type Environment, systemClock, systemRandom } from '@weir/core';
import { watchDials } from '../../testing/watched-dials.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { openAzblobStore } from './azblob-store.ts';
import { parseBlobPage } from './blob-page.ts';

type Answer = (request: IncomingMessage, body: Buffer, response: ServerResponse) => void;

interface ServerOptions {
  readonly environment?: Environment;
  readonly putBytesMax?: number;
}

const withKey = { AZURE_STORAGE_ACCOUNT: 'acct', AZURE_STORAGE_KEY: Buffer.from('key').toString('base64') };

/** A store for a server that answers as the test says, and the number of connections to the server. */
async function withServer(
  answer: Answer,
  check: (store: ObjectStore, connections: () => number) => Promise<void>,
  { environment = withKey, putBytesMax }: ServerOptions = {},
): Promise<void> {
  let connections = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => answer(request, Buffer.concat(parts), response));
  });
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const store = await openAzblobStore(new URL(`azblob://logs?endpoint=http://127.0.0.1:${port}`), {
    clock: systemClock,
    random: systemRandom,
    environment,
    ...(putBytesMax === undefined ? {} : { putBytesMax }),
  });
  try {
    await check(store, () => connections);
  } finally {
    await store.close();
    server.close();
    server.closeAllConnections();
  }
}

test('a put is one signed request', async () => {
  let seen: IncomingMessage | undefined;
  let content = '';
  await withServer(
    (request, body, response) => {
      seen = request;
      content = String(body);
      response.statusCode = 201;
      response.end();
    },
    async (store, connections) => {
      await store.put('a/b c', [Buffer.from('1234'), Buffer.from('56789')]);
      await store.put('a/b c', [Buffer.from('1234'), Buffer.from('56789')]);
      assert.equal(connections(), 1);
    },
  );
  assert.equal(`${seen?.method} ${seen?.url}`, 'PUT /logs/a/b%20c');
  assert.equal(content, '123456789');
  const { headers } = seen!;
  assert.equal(headers['content-length'], '9');
  assert.equal(headers['x-ms-blob-type'], 'BlockBlob');
  assert.equal(headers['x-ms-version'], '2026-02-06');
  assert.match(headers['x-ms-date'] as string, /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/);
  assert.match(headers.authorization!, /^SharedKey acct:[\w+/]{43}=$/);
});

test('a SAS token is added to every request, and is in no error', async () => {
  const lines: string[] = [];
  await withServer(
    (request, _body, response) => {
      assert.equal(request.headers.authorization, undefined);
      lines.push(`${request.method} ${request.url}`);
      response.statusCode = 403;
      response.setHeader('x-ms-error-code', 'AuthenticationFailed');
      response.end(
        '<Error><Code>AuthenticationFailed</Code><Message>no\nTime</Message><AuthenticationErrorDetail>s3cret</AuthenticationErrorDetail></Error>',
      );
    },
    async (store) => {
      const isQuiet = ({ kind, message }: { kind: string } & Error) =>
        kind === 'denied' && !/s3cret|\n/.test(message);
      await assert.rejects(store.put('key', [Buffer.from('x')]), isQuiet);
      await assert.rejects(store.list('a&b')[Symbol.asyncIterator]().next(), isQuiet);
    },
    { environment: { AZURE_STORAGE_SAS_TOKEN: '?sv=1&sig=s3cret%3D' } },
  );
  assert.deepEqual(lines, [
    'PUT /logs/key?sv=1&sig=s3cret%3D',
    'GET /logs?restype=container&comp=list&maxresults=1000&prefix=a%26b&sv=1&sig=s3cret%3D',
  ]);
});

const answers: readonly [status: number, code: string, kind: string][] = [
  [403, 'AuthorizationPermissionMismatch', 'denied'],
  [403, 'AuthorizationFailure', 'denied'],
  [403, 'AuthenticationFailed', 'denied'],
  [401, 'NoAuthenticationInformation', 'denied'],
  [400, 'InvalidAuthenticationInfo', 'denied'],
  [404, 'ContainerNotFound', 'bucketMissing'],
  [409, 'ContainerBeingDeleted', 'unavailable'],
  [409, 'BlobImmutableDueToPolicy', 'denied'],
  [409, 'BlobArchived', 'invalid'],
  [412, 'LeaseIdMissing', 'denied'],
  [400, 'InvalidBlockList', 'invalid'],
  [400, 'toString', 'invalid'],
  [413, 'RequestBodyTooLarge', 'invalid'],
  [503, 'ServerBusy', 'throttled'],
  [429, 'TooManyRequests', 'throttled'],
  [500, 'OperationTimedOut', 'timeout'],
  [500, 'InternalError', 'unavailable'],
  [502, '', 'unavailable'],
];

for (const [status, code, kind] of answers) {
  test(`${status} ${code} is ${kind}`, async () => {
    await withServer(
      (request, _body, response) => {
        response.statusCode = status;
        // HEAD has only the header.
        if (request.method === 'HEAD') response.setHeader('x-ms-error-code', code);
        response.setHeader('x-ms-request-id', 'id-1');
        response.end(
          `\ufeff<?xml version="1.0"?><Error><Code>${code}</Code><Message>words\nTime:1</Message></Error>`,
        );
      },
      async (store) => {
        const message = new RegExp(`Azure returned ${status} ${code && `${code} `}words \\(request id-1\\);`);
        await assert.rejects(store.put('key', [Buffer.from('x')]), { kind, message });
        await assert.rejects(store.putIfAbsent('key', [Buffer.from('x')]), { kind, message });
        await assert.rejects(store.getRange('key', 0, 1), { kind, message });
        await assert.rejects(store.delete('key'), { kind, message });
        await assert.rejects(store.head('key'), { kind });
        const list = store.list('')[Symbol.asyncIterator]();
        await assert.rejects(list.next(), { kind, message: new RegExp(`^azblob://logs: ${message.source}`) });
      },
    );
  });
}

test('a blob that exists is known by three codes', async () => {
  for (const [status, code] of [
    [409, 'BlobAlreadyExists'],
    [412, 'ConditionNotMet'],
    [403, 'UnauthorizedBlobOverwrite'],
  ] as const) {
    await withServer(
      (request, _body, response) => {
        assert.equal(request.headers['if-none-match'], '*');
        response.statusCode = status;
        response.setHeader('x-ms-error-code', code);
        response.end();
      },
      async (store) => assert.equal(await store.putIfAbsent('key', [Buffer.from('x')]), false),
    );
  }
});

test('a server that is not there is unavailable', async () => {
  await withServer(
    (request) => request.socket.destroy(),
    async (store) => {
      await assert.rejects(store.put('key', [Buffer.alloc(10_000_000)]), { kind: 'unavailable' });
      await assert.rejects(store.list('')[Symbol.asyncIterator]().next(), { kind: 'unavailable' });
    },
  );
});

const blob = (name: string, attributes = '', more = '') =>
  `<Blob><Name${attributes}>${name}</Name><Properties><Last-Modified>Mon, 16 Nov 2026 10:00:00 GMT</Last-Modified><Content-Length>7</Content-Length>${more}</Properties><OrMetadata/></Blob>`;
const listing = (blobs: string, marker = '') =>
  `\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://x/" ContainerName="logs"><Prefix>a</Prefix><Blobs>${blobs}</Blobs>${
    marker === '' ? '<NextMarker />' : `<NextMarker>${marker}</NextMarker>`
  }</EnumerationResults>`;

async function keysOf(store: ObjectStore, prefix: string, startAfter?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of store.list(prefix, { startAfter })) {
    assert.ok(page.length > 0);
    keys.push(...page.map(({ key }) => key));
  }
  return keys;
}

test('a list follows the markers, over empty pages, and reads every kind of name', async () => {
  const pages: Record<string, string> = {
    '': listing(blob('a&amp;&lt;b&#x27;&#233;'), 'm&amp;1'),
    'm&1': listing('', 'm2'),
    m2: listing(
      blob('b', '', '<ResourceType>directory</ResourceType>') +
        blob('b/%EF%BF%BEc', ' Encoded="true"') +
        blob('b/ d', ' xml:space="preserve"'),
    ),
  };
  await withServer(
    (request, _body, response) => {
      const { searchParams } = new URL(request.url!, 'http://x');
      response.end(pages[searchParams.get('marker') ?? '']);
    },
    async (store) => {
      const infos = [];
      for await (const page of store.list('')) infos.push(...page);
      assert.deepEqual(
        infos.map(({ key }) => key),
        // The order of the second page is put right.
        ["a&<b'é", 'b/ d', 'b/\ufffec'],
      );
      assert.deepEqual(infos[0], {
        key: "a&<b'é",
        bytes: 7,
        modifiedMs: Date.UTC(2026, 10, 16, 10),
      });
    },
  );
});

test('a list starts behind a key, also at a server that does not know how to', async () => {
  const asked: (string | null)[] = [];
  await withServer(
    (request, _body, response) => {
      const { searchParams } = new URL(request.url!, 'http://x');
      asked.push(searchParams.get('startFrom'));
      response.end(listing(['a/1', 'a/2', 'a/3'].map((name) => blob(name)).join('')));
    },
    async (store) => {
      assert.deepEqual(await keysOf(store, 'a/', 'a/2'), ['a/3']);
      assert.deepEqual(await keysOf(store, 'a/', 'a'), ['a/1', 'a/2', 'a/3']);
      assert.deepEqual(asked, ['a/2', null]);
      // Nothing of the prefix is behind it, so nothing is asked.
      assert.deepEqual(await keysOf(store, 'a/', 'b'), []);
      assert.equal(asked.length, 2);
    },
  );
});

test('a list in another order is an error, because callers would miss keys', async () => {
  await withServer(
    (request, _body, response) => {
      const isFirst = !request.url!.includes('marker=');
      response.end(isFirst ? listing(blob('a/b'), 'next') : listing(blob('a-b')));
    },
    async (store) => {
      await assert.rejects(keysOf(store, 'a'), { kind: 'invalid', message: /hierarchical namespace/ });
    },
  );
});

// biome-ignore format: a table
const hostilePages: readonly [what: string, page: string, keys: readonly string[]][] = [
  ['blobs that do not end', '<Blob>'.repeat(2_000_000), []],
  ['names that do not end', `<Blob>${'<Name'.repeat(2_000_000)}</Blob>`, ['']],
];
for (const [what, page, keys] of hostilePages) {
  test(`a page of ${what} is read in one pass`, () => {
    // A pass of each start to the end would take hours.
    assert.deepEqual(
      parseBlobPage(page).blobs.map(({ key }) => key),
      keys,
    );
  });
}

test('a name that is not encoded as it says is an error of the store', () => {
  assert.throws(() => parseBlobPage(listing(blob('%zz', ' Encoded="true"'))), { kind: 'unavailable' });
});

/** Keeps blocks as the service does, and joins them when their list comes. */
function blockServer() {
  const blocks = new Map<string, Buffer>();
  const state = {
    object: undefined as Buffer | undefined,
    conditions: [] as (string | undefined)[],
    failing: -1,
  };
  const answer: Answer = (request, body, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x');
    assert.equal(`${request.method} ${pathname}`, 'PUT /logs/key');
    response.statusCode = 201;
    if (searchParams.get('comp') === 'block') {
      if (blocks.size === state.failing) response.statusCode = 500;
      else blocks.set(searchParams.get('blockid')!, body);
    } else {
      assert.equal(searchParams.get('comp'), 'blocklist');
      state.conditions.push(request.headers['if-none-match']);
      const ids = [...String(body).matchAll(/<Latest>([^<]*)<\/Latest>/g)].map(([, id]) => id!);
      assert.equal(new Set(ids.map((id) => id.length)).size, 1, 'ids have one length');
      state.object = Buffer.concat(ids.map((id) => blocks.get(id)!));
    }
    response.end();
  };
  return { blocks, state, answer };
}

test('an object that is too large for one request is stored in blocks', async () => {
  const { blocks, state, answer } = blockServer();
  await withServer(
    answer,
    async (store) => {
      const content = [Buffer.alloc(25_000, 'a'), Buffer.alloc(3, 'b'), Buffer.alloc(20_000, 'c')];
      await store.put('key', content);
      assert.ok(state.object!.equals(Buffer.concat(content)));
      assert.deepEqual(
        [...blocks.values()].map(({ length }) => length).sort((a, b) => b - a),
        [10_000, 10_000, 10_000, 10_000, 5_003],
      );
      assert.equal(await store.putIfAbsent('key', content), true);
      assert.deepEqual(state.conditions, [undefined, '*']);
      // Another upload has other ids.
      assert.equal(blocks.size, 10);
      state.failing = 12;
      state.object = undefined;
      await assert.rejects(store.put('key', content), { kind: 'unavailable' });
      assert.equal(state.object, undefined);
    },
    { putBytesMax: 10_000 },
  );
});

test('an upload that was aborted cannot be finished, and needs no request', async () => {
  const { state, answer } = blockServer();
  await withServer(answer, async (store) => {
    const upload = await store.beginUpload('key');
    await upload.putPart(0, [Buffer.from('x')]);
    await upload.abort();
    await assert.rejects(upload.finish(1), { kind: 'invalid' });
    assert.equal(state.object, undefined);
    assert.equal(store.incompleteUploads, undefined);
  });
});

test('many objects are deleted by some requests at a time, and each failure is known', async () => {
  let inFlight = 0;
  let inFlightMax = 0;
  await withServer(
    (request, _body, response) => {
      inFlightMax = Math.max(inFlightMax, ++inFlight);
      setImmediateAfter(() => {
        inFlight--;
        const name = request.url!.slice('/logs/'.length);
        response.statusCode = name === 'denied' ? 403 : name === 'missing' ? 404 : 202;
        if (name === 'missing') response.setHeader('x-ms-error-code', 'BlobNotFound');
        response.end();
      });
    },
    async (store) => {
      const keys = [...Array.from({ length: 40 }, (_, i) => `key${i}`), 'denied', 'missing'];
      const failed = await store.deleteMany(keys);
      assert.deepEqual(
        failed.map(({ key, error }) => [key, error.kind]),
        [['denied', 'denied']],
      );
      await assert.rejects(store.deleteMany(['denied']), { kind: 'denied' });
    },
  );
  assert.ok(inFlightMax <= 16, `${inFlightMax} at a time`);
});

/** Later in the same process, so that requests overlap. */
function setImmediateAfter(run: () => void): void {
  systemClock.after(1, run);
}

test('metadata services are not asked for tokens unless the caller allows it', async (t) => {
  const dials = watchDials(t);
  const url = new URL('azblob://logs?storage_account=acct');
  const deps = { clock: systemClock, random: systemRandom, environment: {} };
  await assert.rejects(openAzblobStore(url, deps), { kind: 'denied', message: /no credentials/ });
  assert.deepEqual(dials.hosts, []);
  const store = await openAzblobStore(url, { ...deps, usesMetadataService: true });
  await assert.rejects(store.put('key', []), {
    kind: 'unavailable',
    message: /no access token from 169\.254/,
  });
  assert.deepEqual(dials.hosts, ['169.254.169.254']);
  await store.close();
});
