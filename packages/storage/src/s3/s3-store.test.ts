import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { watchDials } from '../../testing/watched-dials.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { openS3Store, type S3Settings } from './s3-store.ts';

const environment = { AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK' };

type Answer = (request: IncomingMessage, body: Buffer, response: ServerResponse) => void;

/** A store for a server that answers as the test says, and the number of connections to the server. */
async function withServer(
  answer: Answer,
  check: (store: ObjectStore, connections: () => number) => Promise<void>,
  query = '',
  s3: S3Settings = {},
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
  const store = await storeAt(server.address() as AddressInfo, query, s3);
  try {
    await check(store, () => connections);
  } finally {
    await store.close();
    server.close();
    server.closeAllConnections();
  }
}

function storeAt({ port }: AddressInfo, query = '', s3: S3Settings = {}): Promise<ObjectStore> {
  const endpoint = `endpoint=127.0.0.1:${port}&disableSSL=true&s3ForcePathStyle=true&region=eu-west-1`;
  return openS3Store(new URL(`s3://bucket?${endpoint}${query}`), { clock: systemClock, environment, s3 });
}

test('a put is one signed request with a checksum', async () => {
  let seen: IncomingMessage | undefined;
  let content = '';
  await withServer(
    (request, body, response) => {
      seen = request;
      content = String(body);
      response.end();
    },
    async (store) => {
      await store.put('a/b c', [Buffer.from('1234'), Buffer.from('56789')]);
    },
  );
  assert.equal(`${seen?.method} ${seen?.url}`, 'PUT /bucket/a/b%20c');
  assert.equal(content, '123456789');
  const { headers } = seen!;
  assert.equal(headers['content-length'], '9');
  assert.equal(headers['x-amz-content-sha256'], 'UNSIGNED-PAYLOAD');
  // The check value of CRC-32C, 0xe3069283.
  assert.equal(headers['x-amz-checksum-crc32c'], '4waSgw==');
  assert.match(
    headers.authorization!,
    /^AWS4-HMAC-SHA256 Credential=AK\/\d{8}\/eu-west-1\/s3\/aws4_request,/,
  );
});

test('connections are reused, also after large files', async () => {
  const file = [Buffer.alloc(3_000_000, 1), Buffer.alloc(1_000_000, 2)];
  await withServer(
    (_request, body, response) => {
      response.statusCode = body.length === 4_000_000 ? 200 : 400;
      response.end();
    },
    async (store, connections) => {
      for (let i = 0; i < 20; i++) await store.put(`key${i}`, file);
      assert.equal(connections(), 1);
      await Promise.all(
        Array.from({ length: 300 }, (_, i) => store.put(`key${i}`, file.slice(0, 0)).catch(() => {})),
      );
      assert.ok(connections() <= 64, `${connections()} connections`);
    },
  );
});

const answers: readonly [status: number, code: string, kind: string][] = [
  [403, 'AccessDenied', 'denied'],
  [403, 'SignatureDoesNotMatch', 'denied'],
  [400, 'ExpiredToken', 'denied'],
  [404, 'NoSuchBucket', 'bucketMissing'],
  [409, 'ConditionalRequestConflict', 'unavailable'],
  [400, 'BadDigest', 'unavailable'],
  [400, 'RequestTimeout', 'timeout'],
  [400, 'InvalidArgument', 'invalid'],
  [429, 'TooManyRequests', 'throttled'],
  [503, 'SlowDown', 'throttled'],
  [503, 'ServiceUnavailable', 'unavailable'],
  [500, 'InternalError', 'unavailable'],
  [301, 'PermanentRedirect', 'invalid'],
];

for (const [status, code, kind] of answers) {
  test(`${status} ${code} is ${kind}`, async () => {
    await withServer(
      (_request, _body, response) => {
        response.statusCode = status;
        response.end(`<Error><Code>${code}</Code><Message>words of the server</Message></Error>`);
      },
      async (store) => {
        await assert.rejects(store.put('key', [Buffer.from('x')]), { kind });
        await assert.rejects(store.putIfAbsent('key', [Buffer.from('x')]), { kind });
        await assert.rejects(store.getRange('key', 0, 1), { kind });
      },
    );
  });
}

/** A server whose bucket exists or not, without any object. */
const emptyServer =
  (hasBucket: () => boolean, seen: string[]): Answer =>
  ({ method, url }, _body, response) => {
    seen.push(`${method} ${url}`);
    response.statusCode = method === 'PUT' ? 200 : 404;
    response.end(
      method === 'HEAD' ? '' : `<Error><Code>${hasBucket() ? 'NoSuchKey' : 'NoSuchBucket'}</Code></Error>`,
    );
  };

test('a missing bucket is not taken for a missing object, also where the answer has no body', async () => {
  const seen: string[] = [];
  await withServer(
    emptyServer(() => false, seen),
    async (store) => {
      const missing = { kind: 'bucketMissing' };
      await assert.rejects(store.head('key'), missing);
      await assert.rejects(store.getRange('key', 0, 0), missing);
      await assert.rejects(store.getRange('key', 0, 1), missing);
      await assert.rejects(store.delete('key'), missing);
    },
  );
});

test('a missing object costs a second request only if the bucket was not seen lately', async () => {
  const seen: string[] = [];
  await withServer(
    emptyServer(() => true, seen),
    async (store) => {
      assert.equal(await store.head('a'), undefined);
      assert.equal(await store.head('b'), undefined);
    },
  );
  assert.deepEqual(seen, ['HEAD /bucket/a', 'GET /bucket/a', 'HEAD /bucket/b']);
});

test('the answer of a server that has not read everything is received', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.write('HTTP/1.1 503 Busy\r\ncontent-length: 31\r\n\r\n<Error><Code>SlowDown</Code>...');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const store = await storeAt(server.address() as AddressInfo);
  await assert.rejects(store.put('key', [Buffer.alloc(50_000_000)]), { kind: 'throttled' });
  await store.close();
  server.close();
});

test('a server that closes the connection, or does not exist, is unavailable', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const store = await storeAt(address);
  await assert.rejects(store.put('key', [Buffer.alloc(10_000_000)]), { kind: 'unavailable' });
  await assert.rejects(store.head('key'), { kind: 'unavailable' });
  server.close();
  await once(server, 'close');
  await assert.rejects(store.head('key'), { kind: 'unavailable' });
  await assert.rejects(store.list('')[Symbol.asyncIterator]().next(), { kind: 'unavailable' });
  await store.close();
});

test('an abort in flight closes the connection and leaves the pool consistent', async () => {
  let hangs = true;
  await withServer(
    (_request, _body, response) => {
      if (!hangs) response.end();
    },
    async (store) => {
      const controllers = Array.from({ length: 100 }, () => new AbortController());
      const puts = controllers.map(({ signal }, i) => store.put(`key${i}`, [Buffer.from('x')], { signal }));
      await new Promise<void>((resolve) => systemClock.after(50, resolve));
      for (const controller of controllers) controller.abort(new Error('no longer wanted'));
      const settled = await Promise.allSettled(puts);
      assert.ok(
        settled.every((one) => one.status === 'rejected' && one.reason.message === 'no longer wanted'),
      );
      hangs = false;
      await store.put('key', [Buffer.from('x')]);
    },
  );
});

test('closing ends calls in flight', async () => {
  await withServer(
    () => {},
    async (store) => {
      const ended = Array.from({ length: 70 }, (_, i) =>
        assert.rejects(store.put(`key${i}`, [Buffer.from('x')]), { kind: 'unavailable' }),
      );
      await new Promise<void>((resolve) => systemClock.after(50, resolve));
      await store.close();
      await Promise.all(ended);
    },
  );
});

test('closing ends calls whose connection is being opened', async () => {
  await withServer(
    () => {},
    async (store) => {
      const ended = Array.from({ length: 70 }, (_, i) =>
        assert.rejects(store.put(`key${i}`, [Buffer.from('x')]), { kind: 'unavailable' }),
      );
      // The calls have begun, and no connection is open yet.
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      await store.close();
      await Promise.all(ended);
    },
  );
});

test('metadata services are not queried for credentials unless the caller allows it', async (t) => {
  const dials = watchDials(t);
  const url = new URL('s3://bucket?endpoint=127.0.0.1:9&disableSSL=true&s3ForcePathStyle=true');
  const store = await openS3Store(url, { clock: systemClock, environment: {} });
  t.after(() => store.close());
  await assert.rejects(store.put('a', [Buffer.from('1')]));
  await assert.rejects(async () => {
    for await (const _page of store.list('')) assert.fail('there is nothing to list');
  });
  assert.deepEqual(dials.metadataServices(), []);
});

test('many objects are deleted by one request, and each failure is known', async () => {
  const seen: { line: string; body: string; checksum: boolean }[] = [];
  await withServer(
    (request, body, response) => {
      const { method, url, headers } = request;
      const checksum = Object.keys(headers).some(
        (name) => name.startsWith('x-amz-checksum-') || name === 'content-md5',
      );
      seen.push({ line: `${method} ${url}`, body: String(body), checksum });
      response.setHeader('content-type', 'application/xml');
      response.end(
        '<DeleteResult><Error><Key>b</Key><Code>AccessDenied</Code><Message>no</Message></Error>' +
          '<Error><Key>c</Key><Code>InternalError</Code><Message>later</Message></Error>' +
          '<Error><Key>d</Key><Code>NoSuchKey</Code></Error></DeleteResult>',
      );
    },
    async (store) => {
      const failed = await store.deleteMany(['a', 'b', 'c', 'd']);
      assert.deepEqual(
        failed.map(({ key, error }) => [key, error.kind]),
        [
          ['b', 'denied'],
          ['c', 'unavailable'],
        ],
      );
      // A denial of all of them is an error of the call.
      await assert.rejects(store.deleteMany(['b', 'c']), { kind: 'denied' });
    },
  );
  assert.equal(seen.length, 2);
  assert.match(seen[0]!.line, /^POST \/bucket\/?\?delete/);
  assert.ok(seen[0]!.checksum, 'S3 requires a checksum');
  assert.match(seen[0]!.body, /<Key>a<\/Key>/);
});

test('a server without a request for many objects gets one for each', async () => {
  const deleted: string[] = [];
  await withServer(
    (request, _body, response) => {
      if (request.method === 'POST') {
        response.statusCode = 501;
        response.end('<Error><Code>NotImplemented</Code><Message>no</Message></Error>');
        return;
      }
      deleted.push(`${request.method} ${request.url}`);
      response.statusCode = request.url!.endsWith('b') ? 403 : 204;
      response.end();
    },
    async (store) => {
      const failed = await store.deleteMany(['a', 'b']);
      assert.deepEqual(
        failed.map(({ key, error }) => [key, error.kind]),
        [['b', 'denied']],
      );
    },
  );
  assert.deepEqual(deleted.sort(), ['DELETE /bucket/a', 'DELETE /bucket/b']);
});

/** Answers like S3 to the requests of one upload. */
function uploadServer(onComplete: (body: string) => { readonly status: number; readonly body: string }) {
  const seen: string[] = [];
  const parts: string[] = [];
  const answer: Answer = (request, body, response) => {
    const url = new URL(request.url!, 'http://s3');
    const part = url.searchParams.get('partNumber');
    seen.push(`${request.method} ${url.pathname}`);
    if (part !== null) {
      assert.equal(url.search, `?partNumber=${part}&uploadId=id%2F%2B1`);
      assert.equal(request.headers['x-amz-checksum-crc32c'], '4waSgw==');
      parts[Number(part) - 1] = String(body);
      response.setHeader('etag', `"etag ${part}"`);
      response.end();
    } else if (request.method === 'POST' && url.searchParams.has('uploads')) {
      assert.equal(request.headers['x-amz-checksum-algorithm'], 'CRC32C');
      response.end(
        '<InitiateMultipartUploadResult><UploadId>id/+1</UploadId></InitiateMultipartUploadResult>',
      );
    } else if (request.method === 'POST') {
      assert.equal(url.searchParams.get('uploadId'), 'id/+1');
      const completed = onComplete(String(body));
      response.statusCode = completed.status;
      response.end(completed.body);
    } else {
      response.statusCode = request.method === 'DELETE' ? 204 : 200;
      response.setHeader('content-length', request.method === 'HEAD' ? 9 : 0);
      response.end();
    }
  };
  return { seen, parts, answer };
}

test('an upload in parts is created, signed, checked and completed', async () => {
  let completed = '';
  const { seen, parts, answer } = uploadServer((body) => {
    completed = body;
    return { status: 200, body: '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>' };
  });
  await withServer(answer, async (store) => {
    const upload = await store.beginUpload('a/b c');
    await upload.putPart(0, [Buffer.from('1234'), Buffer.from('56789')]);
    await upload.finish(1);
  });
  assert.deepEqual(parts, ['123456789']);
  assert.match(completed, /<PartNumber>1<\/PartNumber>/);
  assert.match(completed, /etag 1/);
  assert.match(completed, /<ChecksumCRC32C>4waSgw==<\/ChecksumCRC32C>/);
  assert.deepEqual(seen, ['POST /bucket/a/b%20c', 'PUT /bucket/a/b%20c', 'POST /bucket/a/b%20c']);
});

test('an upload whose completion was answered before is complete, and another error is one', async () => {
  const gone = '<Error><Code>NoSuchUpload</Code><Message>gone</Message></Error>';
  const repeated = uploadServer(() => ({ status: 404, body: gone }));
  await withServer(repeated.answer, async (store) => {
    const upload = await store.beginUpload('key');
    await upload.putPart(0, [Buffer.from('123456789')]);
    // The server has an object of 9 bytes.
    await upload.finish(1);
    assert.equal(repeated.seen.at(-1), 'HEAD /bucket/key');
  });
  const other = uploadServer(() => ({ status: 404, body: gone }));
  await withServer(
    (request, body, response) => {
      if (request.method !== 'HEAD') return other.answer(request, body, response);
      response.statusCode = 404;
      response.end();
    },
    async (store) => {
      const upload = await store.beginUpload('key');
      await upload.putPart(0, [Buffer.from('123456789')]);
      await assert.rejects(upload.finish(1), { kind: 'notFound' });
    },
  );
  const busy = uploadServer(() => ({ status: 503, body: '<Error><Code>SlowDown</Code></Error>' }));
  await withServer(busy.answer, async (store) => {
    const upload = await store.beginUpload('key');
    await upload.putPart(0, [Buffer.from('123456789')]);
    await assert.rejects(upload.finish(1), { kind: 'throttled' });
    await upload.abort();
    assert.equal(busy.seen.at(-1), 'DELETE /bucket/key');
  });
});

for (const [said, status, body] of [
  ['does not exist', 404, '<Error><Code>NoSuchUpload</Code></Error>'],
  ['is complete', 200, '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>'],
] as const) {
  test(`an aborted upload is not finished, even if the server says that it ${said}`, async () => {
    const server = uploadServer(() => ({ status, body }));
    await withServer(server.answer, async (store) => {
      const upload = await store.beginUpload('key');
      // The server has an older object of 9 bytes.
      await upload.putPart(0, [Buffer.from('123456789')]);
      await upload.abort();
      await assert.rejects(upload.finish(1), { kind: 'invalid' });
      assert.equal(server.seen.at(-1), 'DELETE /bucket/key');
    });
  });
}

test('uploads that were not finished are listed page by page, and aborted', async () => {
  const seen: string[] = [];
  const upload = (key: string, id: string) =>
    `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>2026-01-02T03:04:05.000Z</Initiated></Upload>`;
  const pages = {
    '': `${upload('a/1', 'u+1')}<IsTruncated>true</IsTruncated><NextKeyMarker>a/1</NextKeyMarker><NextUploadIdMarker>u+1</NextUploadIdMarker>`,
    'a/1 u+1': `${upload('a/2', 'u2')}<IsTruncated>false</IsTruncated>`,
  };
  await withServer(
    (request, _body, response) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://server');
      const from = [searchParams.get('key-marker'), searchParams.get('upload-id-marker')];
      const page = from[0] === null ? '' : from.join(' ');
      if (request.method === 'GET') {
        seen.push(`list ${searchParams.get('prefix')} from ${page}`);
        response.end(
          `<ListMultipartUploadsResult>${pages[page as keyof typeof pages]}</ListMultipartUploadsResult>`,
        );
        return;
      }
      seen.push(`${request.method} ${pathname} ${searchParams.get('uploadId')}`);
      // The second was finished meanwhile.
      response.statusCode = pathname.endsWith('2') ? 404 : 204;
      response.end(
        response.statusCode === 204 ? '' : '<Error><Code>NoSuchUpload</Code><Message>gone</Message></Error>',
      );
    },
    async (store) => {
      const { incompleteUploads } = store;
      const first = await incompleteUploads!.list('a/');
      const second = await incompleteUploads!.list('a/', { from: first.next });
      const begunMs = Date.UTC(2026, 0, 2, 3, 4, 5);
      assert.deepEqual(first.uploads, [{ key: 'a/1', uploadId: 'u+1', begunMs }]);
      assert.deepEqual(second, { uploads: [{ key: 'a/2', uploadId: 'u2', begunMs }], next: undefined });
      for (const one of [...first.uploads, ...second.uploads]) await incompleteUploads!.abort(one);
      await assert.rejects(async () => incompleteUploads!.abort({ key: '../x', uploadId: 'u' }), {
        kind: 'invalid',
      });
    },
  );
  assert.deepEqual(seen, [
    'list a/ from ',
    'list a/ from a/1 u+1',
    'DELETE /bucket/a/1 u+1',
    'DELETE /bucket/a/2 u2',
  ]);
});

const listAnswers: readonly [status: number, code: string, kind: string | undefined][] = [
  [403, 'AccessDenied', 'denied'],
  [503, 'SlowDown', 'throttled'],
  // A server without this request has no uploads to abort.
  [501, 'NotImplemented', undefined],
  [405, 'MethodNotAllowed', undefined],
];

for (const [status, code, kind] of listAnswers) {
  test(`${status} ${code} to a list of uploads is ${kind ?? 'an empty list'}`, async () => {
    await withServer(
      (_request, _body, response) => {
        response.statusCode = status;
        response.end(`<Error><Code>${code}</Code><Message>words of the server</Message></Error>`);
      },
      async ({ incompleteUploads }) => {
        if (kind === undefined) assert.deepEqual(await incompleteUploads!.list(''), { uploads: [] });
        else await assert.rejects(incompleteUploads!.list(''), { kind });
      },
    );
  });
}

/** Writes in every way, and returns the headers of the requests by their names. */
async function writeHeaders(query: string, s3: S3Settings = {}) {
  const seen: Record<string, IncomingMessage['headers']> = {};
  await withServer(
    (request, body, response) => {
      const { searchParams } = new URL(request.url!, 'http://s3');
      const what = searchParams.has('uploads')
        ? 'begin'
        : searchParams.has('partNumber')
          ? 'part'
          : searchParams.has('uploadId')
            ? 'complete'
            : searchParams.has('delete')
              ? 'deleteMany'
              : request.headers['if-none-match'] === undefined
                ? 'put'
                : 'putIfAbsent';
      seen[what] = { ...request.headers, body: String(body) };
      response.end('<UploadId>1</UploadId>');
    },
    async (store) => {
      await store.put('key', [Buffer.from('x')]);
      await store.putIfAbsent('key', [Buffer.from('x')]);
      const upload = await store.beginUpload('key');
      await upload.putPart(0, [Buffer.from('x')]);
      await upload.finish(1);
      await store.deleteMany(['key']);
    },
    query,
    s3,
  );
  return seen;
}

test('encryption and storage class are asked for where an object is made, and nowhere else', async () => {
  const seen = await writeHeaders('&sse=aws:kms&sseKMSKeyId=key-1&storageClass=ONEZONE_IA');
  for (const what of ['put', 'putIfAbsent', 'begin']) {
    const headers = seen[what]!;
    assert.equal(headers['x-amz-server-side-encryption'], 'aws:kms', what);
    assert.equal(headers['x-amz-server-side-encryption-aws-kms-key-id'], 'key-1', what);
    assert.equal(headers['x-amz-storage-class'], 'ONEZONE_IA', what);
  }
  for (const what of ['part', 'complete', 'deleteMany']) {
    const names = Object.keys(seen[what]!);
    assert.ok(!names.some((name) => /encryption|storage-class/.test(name)), what);
  }
});

test('uploads have no checksum where they are disabled, also those in parts', async () => {
  const hasChecksum = ([, headers]: [string, IncomingMessage['headers']]) =>
    Object.keys(headers).some((name) => name.includes('checksum')) || /Checksum/.test(String(headers.body));
  const checked = Object.entries(await writeHeaders('')).filter(hasChecksum);
  assert.deepEqual(checked.map(([what]) => what).sort(), ['begin', 'complete', 'part', 'put', 'putIfAbsent']);
  const unchecked = Object.entries(await writeHeaders('', { disablesChecksums: true }));
  assert.deepEqual(unchecked.filter(hasChecksum), []);
  assert.equal(unchecked.length, 6);
});

test('an error after the status 200 of a completion is one', async () => {
  const late = uploadServer(() => ({
    status: 200,
    body: '<?xml version="1.0"?>\n\n<Error><Code>InternalError</Code><Message>try again</Message></Error>',
  }));
  await withServer(late.answer, async (store) => {
    const upload = await store.beginUpload('key');
    await upload.putPart(0, [Buffer.from('123456789')]);
    await assert.rejects(upload.finish(1), { kind: 'unavailable', message: /InternalError try again/ });
  });
});

test('a part beyond those that S3 takes is refused before it is sent', async () => {
  const { answer, seen } = uploadServer(() => ({ status: 200, body: '' }));
  await withServer(answer, async (store) => {
    const upload = await store.beginUpload('key');
    await assert.rejects(upload.putPart(10_000, [Buffer.from('123456789')]), { kind: 'invalid' });
    await upload.putPart(9_999, [Buffer.from('123456789')]);
    assert.equal(seen.length, 2);
  });
});

test('keys that XML escapes are listed as they are', async () => {
  await withServer(
    (_request, _body, response) => {
      response.end(
        '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>' +
          '<Contents><Key>a&amp;lt;&#x26;&#38;&apos;&quot;&lt;&gt;&unknown; b</Key><Size>7</Size>' +
          '<LastModified>2026-01-02T03:04:05.678Z</LastModified></Contents></ListBucketResult>',
      );
    },
    async (store) => {
      for await (const page of store.list('a')) {
        const modifiedMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
        assert.deepEqual(page, [{ key: 'a&lt;&&\'"<>&unknown; b', bytes: 7, modifiedMs }]);
      }
    },
  );
});

test('credentials that are never found settle a call that was aborted', async () => {
  const hanging = createTcpServer((socket) => socket.on('error', () => {}).resume());
  hanging.listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  const { port } = hanging.address() as AddressInfo;
  const url = `s3://bucket?endpoint=127.0.0.1:${port}&disableSSL=true&s3ForcePathStyle=true`;
  const store = await openS3Store(new URL(`${url}&assumeRoleARN=arn:aws:iam::123456789012:role/r`), {
    clock: systemClock,
    environment: { ...environment, AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${port}` },
  });
  const controller = new AbortController();
  const put = store.put('key', [Buffer.from('x')], { signal: controller.signal });
  controller.abort(new Error('no longer wanted'));
  await assert.rejects(put, { message: 'no longer wanted' });
  await store.close();
  hanging.close();
});
