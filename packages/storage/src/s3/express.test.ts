import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '@weir/core';
import fc from 'fast-check';
import { startExpressServer } from '../../testing/express-server.ts';
import { objectStoreContract } from '../../testing/object-store-contract.ts';
import { compareKeys } from '../store/key.ts';
import type { ObjectInfo } from '../store/object-store.ts';
import { scopedStore } from '../store/scoped-store.ts';
import { type Directories, listDirectories } from './list-objects.ts';
import { openS3Store } from './s3-store.ts';

const environment = { AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK', AWS_SESSION_TOKEN: 'T' };
const secrets = { AK: 'SK' };
const bucket = 'logs--use1-az4--x-s3';

type Server = Awaited<ReturnType<typeof startExpressServer>>;
const servers: Server[] = [];
after(() => {
  for (const { stop } of servers) stop();
});

async function started(clock = systemClock): Promise<Server> {
  const server = await startExpressServer({ bucket, clock, secrets });
  servers.push(server);
  return server;
}

const open = async (clock = systemClock, query = '') => {
  const server = await started(clock);
  return { server, store: await openS3Store(new URL(server.url + query), { clock, environment }) };
};

objectStoreContract('s3 express', { open: async () => (await open()).store, manyObjects: 20 });
objectStoreContract('s3 express with a prefix', {
  open: async () => scopedStore((await open()).store, 'folder/of'),
  manyObjects: 20,
});

test('a session is opened once, renewed before it ends, and again when the server ended it', async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  const clock = { ...systemClock, nowMs: () => nowMs };
  const { server, store } = await open(clock);
  const put = () => store.put('key', [Buffer.from('x')]);
  await Promise.all(Array.from({ length: 20 }, put));
  assert.equal(server.sessionHeaders.length, 1);
  nowMs += 239_000;
  await put();
  assert.equal(server.sessionHeaders.length, 1);
  nowMs += 2_000;
  // The old session still works while the next one is opened.
  await put();
  while (server.sessionHeaders.length < 2) await put();
  nowMs += 100_000;
  await put();
  assert.equal(server.sessionHeaders.length, 2);
  server.endSessions();
  await assert.rejects(put(), { kind: 'unavailable' });
  await put();
  assert.equal(server.sessionHeaders.length, 3);
  nowMs += 10_000_000;
  await put();
  assert.equal(server.sessionHeaders.length, 4);
  await store.close();
});

test('a session says how objects are encrypted, and is signed with the token of its owner', async () => {
  const { server, store } = await open(systemClock, '&sse=aws:kms&sseKMSKeyId=key-1');
  await store.put('key', [Buffer.from('x')]);
  const upload = await store.beginUpload('large');
  await upload.putPart(0, [Buffer.from('x')]);
  await upload.finish(1);
  const [headers] = server.sessionHeaders;
  assert.equal(headers?.['x-amz-server-side-encryption'], 'aws:kms');
  assert.equal(headers?.['x-amz-server-side-encryption-aws-kms-key-id'], 'key-1');
  assert.equal(headers?.['x-amz-security-token'], 'T');
  assert.equal(headers?.['x-amz-create-session-mode'], 'ReadWrite');
  await store.close();
});

test('without permission to open a session, every call is denied', async () => {
  const server = await started();
  const store = await openS3Store(new URL(server.url), {
    clock: systemClock,
    environment: { ...environment, AWS_SECRET_ACCESS_KEY: 'another' },
  });
  await assert.rejects(store.put('key', [Buffer.from('x')]), { kind: 'denied' });
  await assert.rejects(store.list('')[Symbol.asyncIterator]().next(), { kind: 'denied' });
  await store.close();
});

/** Folders over a set of keys, in the reverse order, a few entries at a time. */
function directoriesOf(keys: readonly string[], entriesMax: number): Directories {
  return {
    entriesMax,
    async pageOf(folder, next = '0') {
      const names = new Set<string>();
      for (const key of keys) {
        if (!key.startsWith(folder)) continue;
        const slash = key.indexOf('/', folder.length);
        names.add(slash < 0 ? key : key.slice(0, slash + 1));
      }
      const all = [...names].sort().reverse();
      const shown = all.slice(Number(next), Number(next) + 2);
      return {
        objects: shown.filter((name) => !name.endsWith('/')).map((key) => ({ key, bytes: 1, modifiedMs: 0 })),
        folders: shown.filter((name) => name.endsWith('/')),
        next: Number(next) + 2 < all.length ? String(Number(next) + 2) : undefined,
      };
    },
  };
}

test('folders without an order are listed in the order of keys, with any number of entries in memory', async () => {
  const segment = fc.string({
    minLength: 1,
    maxLength: 2,
    unit: fc.constantFrom('a', 'b', '!', '0', '\u{1f600}', '\u{fffd}'),
  });
  const key = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(key, { maxLength: 30 }),
      fc.oneof(
        fc.constant(''),
        key,
        key.map((text) => `${text}/`),
      ),
      fc.option(
        fc.oneof(
          key,
          key.map((text) => `${text}/`),
        ),
        { nil: undefined },
      ),
      fc.integer({ min: 1, max: 6 }),
      async (keys, prefix, startAfter, entriesMax) => {
        const listed: ObjectInfo[] = [];
        const options = { startAfter };
        for await (const page of listDirectories(directoriesOf(keys, entriesMax), prefix, options)) {
          assert.notEqual(page.length, 0);
          listed.push(...page);
        }
        const expected = keys
          .filter((one) => one.startsWith(prefix))
          .filter((one) => startAfter === undefined || compareKeys(one, startAfter) > 0)
          .sort(compareKeys);
        assert.deepEqual(
          listed.map((info) => info.key),
          expected,
        );
      },
    ),
  );
});
