import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Metrics, seededRandom, silentLog, systemClock, systemRandom } from '@weir/core';
import { error, type FakeGcs, startFakeGcs } from '../../testing/fake-gcs.ts';
import { objectStoreContract } from '../../testing/object-store-contract.ts';
import { watchDials } from '../../testing/watched-dials.ts';
import { openStore } from '../open-store.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { openGsStore } from './gs-store.ts';

const fakes: FakeGcs[] = [];
after(() => Promise.all(fakes.map((fake) => fake.stop())));

async function startFake(): Promise<FakeGcs> {
  const fake = await startFakeGcs(systemClock);
  fakes.push(fake);
  return fake;
}

function storeAt(fake: FakeGcs, folder = '', bucket = 'bucket'): Promise<ObjectStore> {
  return openGsStore(new URL(`gs://${bucket}?endpoint=http://${fake.address}`), {
    clock: systemClock,
    random: seededRandom(1),
    environment: {},
    folder,
  });
}

async function withFake(check: (fake: FakeGcs, store: ObjectStore) => Promise<void>): Promise<void> {
  const fake = await startFake();
  const store = await storeAt(fake);
  try {
    await check(fake, store);
  } finally {
    await store.close();
  }
}

const deps = {
  clock: systemClock,
  random: systemRandom,
  environment: {},
  log: silentLog,
  metrics: new Metrics(),
};

objectStoreContract('gs', { open: async () => storeAt(await startFake()), manyObjects: 70 });
objectStoreContract('gs with a prefix', {
  open: async () =>
    openStore(`gs://bucket?endpoint=http://${(await startFake()).address}&prefix=a/folder+of/ours`, deps),
  manyObjects: 25,
});

const slices = (...texts: string[]) => texts.map((text) => Buffer.from(text));

test('a put is one request with a checksum', () =>
  withFake(async ({ seen }, store) => {
    await store.put('a/b c', slices('1234', '56789'));
    assert.equal(seen.length, 1);
    const { method, path, query, headers, body } = seen[0]!;
    assert.equal(`${method} ${path}`, 'POST /upload/storage/v1/b/bucket/o');
    assert.deepEqual(Object.fromEntries(query), { uploadType: 'multipart', name: 'a/b c', fields: 'size' });
    // The check value of CRC-32C, 0xe3069283.
    assert.match(String(body), /"crc32c":"4waSgw=="/);
    assert.equal(headers['content-length'], String(body.length));
    assert.equal(headers.authorization, undefined);
  }));

test('content that contains the end of a message is stored as it is', () =>
  withFake(async ({ objects }, store) => {
    await store.put('key', slices('x\r\n--boundary--\r\n', '--'));
    assert.equal(String(objects.get('key')!.content), 'x\r\n--boundary--\r\n--');
  }));

test('a conditional put names the generation that does not exist', () =>
  withFake(async ({ seen }, store) => {
    assert.equal(await store.putIfAbsent('key', slices('x')), true);
    assert.equal(await store.putIfAbsent('key', slices('y')), false);
    assert.equal(seen[0]!.query.get('ifGenerationMatch'), '0');
  }));

const permissionDenied =
  "a@b.iam.gserviceaccount.com does not have storage.objects.get access. Permission 'storage.objects.get' denied";

const answers: readonly [status: number, reason: string, message: string, kind: string][] = [
  [400, 'invalid', 'Provided CRC32C does not match', 'invalid'],
  [401, 'authError', 'Invalid Credentials', 'denied'],
  [403, 'forbidden', permissionDenied, 'denied'],
  [403, 'rateLimitExceeded', 'too many', 'throttled'],
  [403, 'accountDisabled', 'the billing account is closed', 'denied'],
  [408, 'requestTimeout', 'slow', 'timeout'],
  [409, 'conflict', 'another request', 'unavailable'],
  [412, 'conditionNotMet', 'without a condition', 'invalid'],
  [429, 'rateLimitExceeded', 'slow down', 'throttled'],
  [500, 'internalError', 'sorry', 'unavailable'],
  [502, '', '', 'unavailable'],
  [503, 'backendError', 'sorry', 'unavailable'],
];

for (const [status, reason, message, kind] of answers) {
  test(`${status} ${reason} is ${kind}`, () =>
    withFake(async (fake, store) => {
      fake.intercept = () => (reason === '' ? { status, body: '<html>' } : error(status, reason, message));
      const isExpected = (caught: Error & { kind?: string }) => {
        assert.equal(caught.kind, kind);
        assert.ok(caught.message.includes(`Google returned ${status}`), caught.message);
        assert.ok(!caught.message.includes('\n') && !caught.message.includes('<'), caught.message);
        return true;
      };
      await assert.rejects(store.put('key', slices('x')), isExpected);
      await assert.rejects(store.getRange('key', 0, 1), isExpected);
      await assert.rejects(store.head('key'), isExpected);
      await assert.rejects(store.delete('key'), isExpected);
      await assert.rejects(store.deleteMany(['key', 'other']), isExpected);
      await assert.rejects(store.beginUpload('key'), isExpected);
      await assert.rejects(store.list('')[Symbol.asyncIterator]().next(), isExpected);
      if (status !== 412) await assert.rejects(store.putIfAbsent('key', slices('x')), isExpected);
    }));
}

test('a denial names the missing permission, also when the server does not', () =>
  withFake(async (fake, store) => {
    fake.intercept = () => ({ status: 403, body: 'Access denied.\n' });
    const calls: readonly [call: Promise<unknown>, permission: string][] = [
      [store.put('key', slices('x')), 'storage.objects.create'],
      [store.getRange('key', 0, 1), 'storage.objects.get'],
      [store.head('key'), 'storage.objects.get'],
      [store.delete('key'), 'storage.objects.delete'],
      [store.list('')[Symbol.asyncIterator]().next(), 'storage.objects.list'],
    ];
    for (const [call, permission] of calls) {
      await assert.rejects(call, {
        kind: 'denied',
        message: new RegExp(`403 Access denied\\.; the account needs the permission ${permission}; check`),
      });
    }
    fake.intercept = () => error(403, 'forbidden', permissionDenied);
    await assert.rejects(store.getRange('key', 0, 1), {
      message: `key: Google returned 403 forbidden ${permissionDenied}; check the credentials and the permissions of the bucket`,
    });
  }));

test('a missing bucket is a mistake in the URL, and a missing object is none', async () => {
  const fake = await startFake();
  const store = await storeAt(fake, '', 'another');
  const isMissing = { kind: 'bucketMissing', message: /gs:\/\/another: bucket not found/ };
  await assert.rejects(store.put('key', slices('x')), isMissing);
  await assert.rejects(store.getRange('key', 0, 1), isMissing);
  await assert.rejects(store.getRange('key', 1, 1), isMissing);
  await assert.rejects(store.head('key'), isMissing);
  await assert.rejects(store.delete('key'), isMissing);
  await assert.rejects(store.list('')[Symbol.asyncIterator]().next(), isMissing);
  await store.close();
});

test('whether the bucket exists is asked once', () =>
  withFake(async ({ seen }, store) => {
    assert.equal(await store.head('missing'), undefined);
    assert.equal(await store.head('missing'), undefined);
    assert.deepEqual(
      seen.map(({ path }) => path),
      ['/storage/v1/b/bucket/o/missing', '/storage/v1/b/bucket/o', '/storage/v1/b/bucket/o/missing'],
    );
  }));

test('an account that may not list reports a missing object all the same', () =>
  withFake(async (fake, store) => {
    fake.intercept = ({ path }) => (path.endsWith('/o') ? error(403, 'forbidden', 'no') : undefined);
    await assert.rejects(store.getRange('missing', 0, 1), { name: 'ObjectNotFound' });
    assert.equal(await store.head('missing'), undefined);
    assert.equal(fake.seen.length, 3);
  }));

test('many objects are deleted by requests in parallel, and each failure is known', () =>
  withFake(async (fake, store) => {
    const keys = Array.from({ length: 40 }, (_, i) => `key${i}`);
    for (const key of keys.slice(0, 30)) await store.put(key, slices('x'));
    fake.intercept = ({ method, path }) =>
      method === 'DELETE' && path.endsWith('key7') ? error(403, 'forbidden', 'no') : undefined;
    const failed = await store.deleteMany(keys);
    assert.deepEqual(
      failed.map(({ key, error }) => [key, error.kind]),
      [['key7', 'denied']],
    );
    assert.deepEqual([...fake.objects.keys()], ['key7']);
  }));

test('a list that resumes after a key does not contain it', () =>
  withFake(async ({ seen }, store) => {
    for (const key of ['a', 'b', 'b/c', 'c']) await store.put(key, slices(key));
    const pages = [];
    for await (const page of store.list('', { startAfter: 'b' })) pages.push(...page.map(({ key }) => key));
    assert.deepEqual(pages, ['b/c', 'c']);
    assert.equal(seen.at(-1)!.query.get('startOffset'), 'b');
  }));

for (const body of [
  'null',
  '[]x',
  '{"items":5}',
  '{"items":[null]}',
  '{"items":[{"name":1}]}',
  '{"nextPageToken":7}',
])
  test(`a list that is ${body} is an error of the store`, () =>
    withFake(async (fake, store) => {
      fake.intercept = () => ({ status: 200, body });
      await assert.rejects(store.list('')[Symbol.asyncIterator]().next(), { kind: 'unavailable' });
    }));

test('a reason that is the name of a property of all objects has no meaning', () =>
  withFake(async (fake, store) => {
    fake.intercept = () => error(503, 'constructor', 'sorry');
    await assert.rejects(store.head('key'), { kind: 'unavailable' });
  }));

test('parts lie below the first two folders of their key, and no list shows them', async () => {
  const fake = await startFake();
  const store = await storeAt(fake, 'top');
  const upload = await store.beginUpload('top/service/vci_1/ab/file');
  await upload.putPart(0, slices('content'));
  for (const name of fake.objects.keys())
    assert.match(name, /^top\/service\/vci_1\/\.weir-uploads\/[\w-]+\/(?:begun|part-0)$/);
  assert.equal(fake.objects.size, 2);
  for await (const _page of store.list('')) assert.fail('there are only parts');
  const other = await storeAt(fake, '');
  for await (const _page of other.list('')) assert.fail('there are only parts');
  await other.close();
  const found = await store.incompleteUploads!.list('top/service/vci_1/');
  assert.deepEqual(
    found.uploads.map(({ key }) => key),
    ['top/service/vci_1/ab/file'],
  );
  assert.deepEqual((await store.incompleteUploads!.list('top/service/vci_2/')).uploads, []);
  await upload.finish(1);
  assert.deepEqual([...fake.objects.keys()], ['top/service/vci_1/ab/file']);
  await store.close();
});

test('keys in a folder of parts are refused', () =>
  withFake(async (_fake, store) => {
    for (const key of [
      '.weir-uploads/x',
      'a/.weir-uploads/b/c',
      'a/.weir-uploads',
      '.well-known/acme-challenge/x',
    ]) {
      await assert.rejects(store.put(key, slices('x')), { kind: 'invalid' });
      await assert.rejects(store.beginUpload(key), { kind: 'invalid' });
      await assert.rejects(store.deleteMany([key]), { kind: 'invalid' });
    }
    await assert.rejects(store.incompleteUploads!.abort({ key: 'a', uploadId: '' }), { kind: 'invalid' });
    await assert.rejects(store.incompleteUploads!.abort({ key: 'a', uploadId: '../b' }), { kind: 'invalid' });
  }));

test('uploads with more parts than a page are listed once', () =>
  withFake(async (fake, store) => {
    const uploads = [];
    for (let i = 0; i < 3; i++) {
      const upload = await store.beginUpload(`a/b/c${i}`);
      for (let part = 0; part < 30; part++) await upload.putPart(0, slices('x'));
      uploads.push(upload);
    }
    const { uploads: found } = await store.incompleteUploads!.list('a/b/');
    assert.deepEqual(found.map(({ key }) => key).sort(), ['a/b/c0', 'a/b/c1', 'a/b/c2']);
    for (const upload of uploads) await upload.abort();
    assert.equal(fake.objects.size, 0);
  }));

test('an upload whose answer was lost is finished by the next attempt', () =>
  withFake(async (fake, store) => {
    const upload = await store.beginUpload('key');
    await upload.putPart(0, slices('whole'));
    let lost = 0;
    // Parts are removed, and the answer to one of the removals is an error.
    fake.intercept = ({ method }) =>
      method === 'DELETE' && lost++ === 1 ? error(503, 'backendError', '') : undefined;
    await upload.finish(1);
    assert.equal(lost, 2);
    assert.equal(String(fake.objects.get('key')!.content), 'whole');
    // What stays is found as an unfinished upload, and the object is not.
    fake.intercept = () => undefined;
    await upload.finish(1);
    assert.deepEqual([...fake.objects.keys()], ['key']);
    await upload.finish(1);
    // Another object of the key is not taken for the result.
    await store.put('key', slices('other'));
    await assert.rejects(upload.finish(1), { kind: 'notFound' });
  }));

test('a server that the flag for direct connectivity excludes is not opened', async () => {
  const opened = openStore('gs://bucket', { ...deps, requiresGcsDirectConnectivity: true });
  await assert.rejects(
    opened,
    /^StoreError: gs:\/\/bucket: -gcsDirectConnectivityRequired cannot hold: [^\n]+$/,
  );
  const local = await openStore('mem://direct', { ...deps, requiresGcsDirectConnectivity: true });
  await local.close();
});

test('an emulator is found in the environment, without credentials', async (t) => {
  const dials = watchDials(t);
  const fake = await startFake();
  const environment = { STORAGE_EMULATOR_HOST: fake.address };
  const store = await openStore('gs://bucket', { ...deps, environment, usesMetadataService: true });
  await store.put('key', slices('x'));
  assert.equal(fake.seen[0]!.headers.authorization, undefined);
  assert.deepEqual(dials.metadataServices(), []);
  await store.close();
});

test('a server that is not there is unavailable', async () => {
  const fake = await startFakeGcs(systemClock);
  const store = await storeAt(fake);
  await fake.stop();
  await assert.rejects(store.put('key', slices('x')), { kind: 'unavailable' });
  await assert.rejects(store.list('')[Symbol.asyncIterator]().next(), { kind: 'unavailable' });
  await store.close();
});
