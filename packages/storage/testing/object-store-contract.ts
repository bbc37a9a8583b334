import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storageLimits } from '../src/limits.ts';
import type { ObjectInfo, ObjectStore } from '../src/store/object-store.ts';
import { ObjectNotFound, StoreError } from '../src/store/store-error.ts';

export interface ObjectStoreContractOptions {
  /** Opens an empty store. */
  readonly open: () => Promise<ObjectStore>;
  /** Opens a store whose bucket does not exist. */
  readonly openMissing?: () => Promise<ObjectStore>;
  /** Why the suite cannot run here. */
  readonly skip?: string | false;
  /** Objects for a listing of several pages; servers are slower than memory. */
  readonly manyObjects?: number;
  /** Whether the store is on this machine and says which version of an object it reads. Default: false. */
  readonly hasVersions?: boolean;
  /** Rules that the server behind the store is known to violate, with the reason; they are skipped by name. */
  readonly except?: Readonly<Record<string, string>>;
}

/** The contract of every object store. One suite, run against all of them. */
export function objectStoreContract(name: string, options: ObjectStoreContractOptions): void {
  const { open, skip = false, manyObjects = 2500, hasVersions = false, except = {} } = options;
  const untried = new Set(Object.keys(except));

  function rule(
    sentence: string,
    check: (store: ObjectStore) => Promise<void>,
    opening: () => Promise<ObjectStore> = open,
  ): void {
    untried.delete(sentence);
    test(`${name}: ${sentence}`, { skip: skip || (except[sentence] ?? false) }, async () => {
      const store = await opening();
      try {
        await check(store);
      } finally {
        await store.close();
      }
    });
  }

  if (options.openMissing !== undefined)
    rule(
      'does not take a missing bucket for one without objects',
      async (store) => {
        const calls: Readonly<Record<string, () => Promise<unknown>>> = {
          put: () => store.put('a/key', slices('x')),
          putNew: () => store.put('a/key', slices('x'), { isNewKey: true }),
          putIfAbsent: () => store.putIfAbsent('a/key', slices('x')),
          upload: async () => {
            const upload = await store.beginUpload('a/key');
            await upload.putPart(0, slices('x'));
            await upload.finish(1);
          },
          getRange: () => store.getRange('a/key', 0, 1),
          getNothing: () => store.getRange('a/key', 0, 0),
          head: () => store.head('a/key'),
          delete: () => store.delete('a/key'),
          deleteMany: () => store.deleteMany(['a/key', 'a/other']),
          list: () => keysOf(store, 'a/'),
        };
        for (const [call, run] of Object.entries(calls))
          await assert.rejects(run, { name: 'StoreError', kind: 'bucketMissing' }, call);
      },
      options.openMissing,
    );

  rule('returns what was put, whole and in ranges', async (store) => {
    await store.put('a/object', slices('0123', '', '456789'));
    const ranges: readonly [start: number, end: number, expected: string][] = [
      [0, 10, '0123456789'],
      [0, 1, '0'],
      [3, 5, '34'],
      [9, 10, '9'],
      [5, 5, ''],
      [8, 99, '89'],
      [10, 11, ''],
      [50, 60, ''],
    ];
    for (const [start, end, expected] of ranges) {
      assert.equal(String(await store.getRange('a/object', start, end)), expected, `${start} to ${end}`);
    }
  });

  rule('stores an object in parts, visible when it is finished', async (store) => {
    const { uploadPartBytes } = storageLimits;
    const content = Buffer.alloc(2 * uploadPartBytes + 5, 'a part of an object, ');
    const upload = await store.beginUpload('large/object');
    const part = (index: number) => content.subarray(index * uploadPartBytes, (index + 1) * uploadPartBytes);
    await Promise.all([
      upload.putPart(2, [part(2)]),
      upload.putPart(0, [part(0).subarray(0, 100), part(0).subarray(100)]),
    ]);
    await upload.putPart(1, [part(0)]);
    await upload.putPart(1, [part(1)]);
    assert.equal(await store.head('large/object'), undefined);
    assert.deepEqual(await keysOf(store, 'large/'), []);
    await upload.finish(3);
    assert.equal((await store.head('large/object'))?.bytes, content.length);
    const middle = uploadPartBytes - 10;
    for (const [start, end] of [
      [0, content.length],
      [middle, middle + 20],
      [2 * uploadPartBytes, content.length + 1],
      [content.length, content.length + 1],
    ] as const) {
      const range = await store.getRange('large/object', start, end);
      assert.ok(range.equals(content.subarray(start, end)), `${start} to ${end}`);
    }
  });

  rule('removes an upload that is aborted, and keeps the object of its key', async (store) => {
    await store.put('key', slices('first'));
    const upload = await store.beginUpload('key');
    // As long as the object, which must not be taken for the result.
    await upload.putPart(0, slices('other'));
    await upload.abort();
    await assert.rejects(upload.finish(1), StoreError);
    assert.equal(await textOf(store, 'key'), 'first');
    const next = await store.beginUpload('key');
    await next.putPart(0, slices('thi', 'rd'));
    await next.finish(1);
    assert.equal(await textOf(store, 'key'), 'third');
    assert.deepEqual(await keysOf(store, 'k'), ['key']);
  });

  rule('rejects an upload without all of its parts', async (store) => {
    const upload = await store.beginUpload('key');
    await upload.putPart(1, slices('last'));
    await assert.rejects(upload.finish(2), { kind: 'invalid' });
    await upload.putPart(0, slices('too short'));
    await assert.rejects(upload.finish(2), { kind: 'invalid' });
    await upload.abort();
    assert.equal(await store.head('key'), undefined);
    await assert.rejects(store.beginUpload('../key'), { kind: 'invalid' });
    await assert.rejects(store.beginUpload('key', { signal: AbortSignal.abort() }));
  });

  rule('lists uploads that a process left, and aborts them', async (store) => {
    const { incompleteUploads } = store;
    // Parts in memory end with their process, and a bucket of files removes them by itself.
    if (incompleteUploads === undefined) return;
    const left = await store.beginUpload('left/a b&c');
    await left.putPart(0, slices('parts of a process that died'));
    await store.beginUpload('left/empty');
    await store.beginUpload('other');
    const finished = await store.beginUpload('left/finished');
    await finished.putPart(0, slices('whole'));
    await finished.finish(1);
    const found = async (prefix: string) => (await incompleteUploads.list(prefix)).uploads;
    const uploads = await found('left/');
    assert.deepEqual(uploads.map(({ key }) => key).sort(), ['left/a b&c', 'left/empty']);
    for (const { begunMs } of uploads) assert.ok(begunMs > 1_500_000_000_000 && begunMs < 1e14);
    const [first] = uploads.filter(({ key }) => key === 'left/a b&c');
    await incompleteUploads.abort(first!);
    assert.deepEqual(
      (await found('left/')).map(({ key }) => key),
      ['left/empty'],
    );
    await incompleteUploads.abort(first!);
    await assert.rejects(left.finish(1), StoreError);
    for (const upload of await found('')) await incompleteUploads.abort(upload);
    assert.deepEqual(await found(''), []);
    assert.deepEqual(await keysOf(store, ''), ['left/finished']);
  });

  rule('replaces an object that is put again', async (store) => {
    await store.put('key', slices('first'));
    await store.put('key', slices('2nd'));
    assert.equal(await textOf(store, 'key'), '2nd');
    assert.equal((await store.head('key'))?.bytes, 3);
  });

  rule('stores objects of new keys, also when a call is repeated', async (store) => {
    const many = Array.from({ length: 20 }, (_, number) => `new/${number}`);
    await Promise.all(many.map((key) => store.put(key, slices(key), { isNewKey: true })));
    for (const key of many) assert.equal(await textOf(store, key), key);
    await store.put('new/0', slices('again'), { isNewKey: true });
    assert.equal(await textOf(store, 'new/0'), 'again');
    await store.put('new/empty', [], { isNewKey: true });
    assert.equal((await store.head('new/empty'))?.bytes, 0);
  });

  rule('stores nothing of a new key whose call was aborted before', async (store) => {
    const put = store.put('new/aborted', slices('x'), { isNewKey: true, signal: AbortSignal.abort() });
    await assert.rejects(put);
    assert.equal(await store.head('new/aborted'), undefined);
  });

  rule('stores an empty object', async (store) => {
    await store.put('empty', []);
    assert.equal((await store.head('empty'))?.bytes, 0);
    assert.equal(await textOf(store, 'empty'), '');
  });

  rule('stores objects of many slices, large and small', async (store) => {
    const content = Array.from({ length: 3000 }, (_, i) => Buffer.alloc(i % 100 === 0 ? 9000 : i % 50, i));
    await store.put('many/slices', content);
    const whole = Buffer.concat(content);
    assert.equal((await store.head('many/slices'))?.bytes, whole.length);
    assert.ok((await store.getRange('many/slices', 0, whole.length)).equals(whole));
    assert.ok(
      (await store.getRange('many/slices', 100_001, 200_002)).equals(whole.subarray(100_001, 200_002)),
    );
  });

  rule('reads into memory that the caller gives, as much as there is to read', async (store) => {
    await store.put('to/memory', [Buffer.from('0123456789')]);
    for (const [start, end, expected] of [
      [0, 10, '0123456789'],
      [3, 5, '34'],
      [8, 1000, '89'],
      [10, 20, ''],
      [11, 20, ''],
    ] as const) {
      const given: Buffer[] = [];
      const memory = (bytes: number) => {
        // Memory of others, before and behind, is not touched.
        const slab = Buffer.from(new SharedArrayBuffer(bytes + 2)).fill('x');
        given.push(slab);
        return slab.subarray(1, 1 + bytes);
      };
      const range = await store.getRange('to/memory', start, end, { memory });
      assert.equal(String(range), expected);
      for (const slab of given) {
        assert.equal(String(slab), `x${expected}x`);
        if (range.length > 0) assert.equal(range.buffer, slab.buffer, 'a store that asks for memory uses it');
      }
    }
  });

  rule(`${hasVersions ? 'says' : 'does not say'} of which version the bytes are`, async (store) => {
    async function versionsRead(expected: string): Promise<string[]> {
      const versions = new Set<string>();
      const onVersion = (version: string) => versions.add(version);
      assert.equal(String(await store.getRange('versioned', 0, 10, { onVersion })), expected);
      return [...versions];
    }
    await store.put('versioned', slices('first'));
    const first = await versionsRead('first');
    assert.equal(first.length, hasVersions ? 1 : 0);
    assert.deepEqual(await versionsRead('first'), first);
    await store.put('versioned', slices('other'));
    const second = await versionsRead('other');
    assert.equal(second.length, first.length);
    if (hasVersions) assert.notDeepEqual(second, first);
  });

  rule('does not use the slices after a put has ended', async (store) => {
    const slice = Buffer.from('before');
    await store.put('key', [slice]);
    slice.fill('x');
    assert.equal(await textOf(store, 'key'), 'before');
  });

  rule('reports missing objects', async (store) => {
    await assert.rejects(store.getRange('missing', 0, 1), ObjectNotFound);
    await assert.rejects(store.getRange('missing', 0, 0), ObjectNotFound);
    assert.equal(await store.head('missing'), undefined);
    await store.delete('missing');
  });

  rule('accepts a key that must be absent only once', async (store) => {
    assert.equal(await store.putIfAbsent('claims/one', slices('first')), true);
    assert.equal(await store.putIfAbsent('claims/one', slices('second')), false);
    assert.equal(await textOf(store, 'claims/one'), 'first');
    await store.delete('claims/one');
    assert.equal(await store.putIfAbsent('claims/one', slices('third')), true);
  });

  rule('gives an absent key to one of many writers', async (store) => {
    const writers = Array.from({ length: 16 }, (_, i) => `writer ${i}`);
    const won = await Promise.all(writers.map((writer) => store.putIfAbsent('race', slices(writer))));
    assert.equal(won.filter((isNew) => isNew).length, 1);
    assert.equal(await textOf(store, 'race'), writers[won.indexOf(true)]);
  });

  rule('deletes objects', async (store) => {
    await store.put('gone', slices('soon'));
    await store.delete('gone');
    assert.equal(await store.head('gone'), undefined);
    assert.deepEqual(await keysOf(store, ''), []);
  });

  rule('deletes many objects, also missing ones, and no others', async (store) => {
    const keys = ['many/a', 'many/b c&<>"', 'many/d/e'];
    for (const key of [...keys, 'many/kept']) await store.put(key, slices(key));
    assert.deepEqual(await store.deleteMany([...keys, 'many/missing']), []);
    assert.deepEqual(await keysOf(store, ''), ['many/kept']);
    assert.deepEqual(await store.deleteMany(keys), []);
    assert.deepEqual(await store.deleteMany([]), []);
  });

  rule('refuses more keys than one call takes, and bad keys, before it deletes any', async (store) => {
    await store.put('kept', slices('x'));
    const many = Array.from({ length: 1001 }, () => 'kept');
    await assert.rejects(async () => store.deleteMany(many), { kind: 'invalid' });
    await assert.rejects(async () => store.deleteMany(['kept', '../a']), { kind: 'invalid' });
    await assert.rejects(async () => store.deleteMany(['kept'], { signal: AbortSignal.abort() }));
    assert.equal((await store.head('kept'))?.bytes, 1);
  });

  rule('lists by prefix, in the order of bytes', async (store) => {
    const keys = ['a!b', 'a-b', 'a/b', 'a/c/d', 'a0', 'ab/c', 'service/x y+z&%=?#~é'];
    for (const key of [...keys].reverse()) await store.put(key, slices(key));
    assert.deepEqual(await keysOf(store, ''), keys);
    assert.deepEqual(await keysOf(store, 'a/'), ['a/b', 'a/c/d']);
    assert.deepEqual(await keysOf(store, 'a'), keys.slice(0, 6));
    assert.deepEqual(await keysOf(store, 'a/c'), ['a/c/d']);
    assert.deepEqual(await keysOf(store, 'nothing/'), []);
    assert.deepEqual(await keysOf(store, '', 'a/b'), keys.slice(3));
    assert.deepEqual(await keysOf(store, '', 'a/c'), keys.slice(3));
    assert.deepEqual(await keysOf(store, 'a', 'a/zzz'), ['a0', 'ab/c']);
    for (const key of keys) assert.equal(await textOf(store, key), key);
    const [first] = await infosOf(store, 'a!');
    assert.equal(first?.bytes, 3);
    assert.equal(first?.modifiedMs !== undefined && first.modifiedMs > 1_500_000_000_000, true);
  });

  rule('lists keys beyond 16 bits behind all others', async (store) => {
    const keys = ['\u{fffd}', '\u{1f600}'];
    for (const key of keys) await store.put(key, slices(key));
    assert.deepEqual(await keysOf(store, ''), keys);
  });

  rule('lists more than a page', async (store) => {
    const keys = Array.from({ length: manyObjects }, (_, i) => `many/${String(i).padStart(6, '0')}`);
    for (let at = 0; at < keys.length; at += 50) {
      await Promise.all(keys.slice(at, at + 50).map((key) => store.put(key, slices('x'))));
    }
    assert.deepEqual(await keysOf(store, 'many/'), keys);
  });

  rule('stops listing when the caller stops', async (store) => {
    await Promise.all(['a', 'b'].map((key) => store.put(key, slices(key))));
    for await (const page of store.list('')) {
      assert.equal(page[0]?.key, 'a');
      break;
    }
  });

  for (const key of [
    '',
    '/a',
    'a/',
    'a//b',
    '.',
    'a/./b',
    '../a',
    'a/../b',
    'a\0b',
    'a\nb',
    'x'.repeat(1025),
  ]) {
    rule(`refuses the key ${JSON.stringify(key.slice(0, 12))}`, async (store) => {
      const isInvalid = (error: unknown) => error instanceof StoreError && error.kind === 'invalid';
      await assert.rejects(async () => store.put(key, slices('x')), isInvalid);
      await assert.rejects(async () => store.putIfAbsent(key, slices('x')), isInvalid);
      await assert.rejects(async () => store.getRange(key, 0, 1), isInvalid);
      await assert.rejects(async () => store.head(key), isInvalid);
      await assert.rejects(async () => store.delete(key), isInvalid);
    });
  }

  rule('refuses invalid ranges', async (store) => {
    await store.put('key', slices('x'));
    for (const [start, end] of [
      [-1, 1],
      [2, 1],
      [0.5, 1],
      [0, Number.NaN],
    ] as const) {
      await assert.rejects(store.getRange('key', start, end), StoreError);
    }
  });

  rule('does not start an aborted call', async (store) => {
    const signal = AbortSignal.abort(new Error('no longer wanted'));
    const isAborted = { message: 'no longer wanted' };
    await assert.rejects(store.put('aborted', slices('x'), { signal }), isAborted);
    await assert.rejects(store.putIfAbsent('aborted', slices('x'), { signal }), isAborted);
    assert.equal(await store.head('aborted'), undefined);
    await assert.rejects(store.getRange('aborted', 0, 1, { signal }), isAborted);
  });

  rule('settles calls that are aborted in flight, and continues', async (store) => {
    const content = [Buffer.alloc(4_000_000, 'x')];
    const puts = Array.from({ length: 4 }, async (_, i) => {
      const controller = new AbortController();
      const put = store.put(`under-way/${i}`, content, { signal: controller.signal });
      for (let turn = 0; turn < i * 40; turn++) await Promise.resolve();
      controller.abort(new Error('no longer wanted'));
      await Promise.allSettled([put]);
    });
    await Promise.all(puts);
    for (const { bytes } of await infosOf(store, 'under-way/')) assert.equal(bytes, 4_000_000);
    await store.put('under-way/last', slices('x'));
    assert.equal(await textOf(store, 'under-way/last'), 'x');
  });

  // Otherwise an exception for a renamed rule would never be noticed.
  assert.deepEqual([...untried], [], `${name}: there are no such rules`);
}

function slices(...texts: string[]): Buffer[] {
  return texts.map((text) => Buffer.from(text));
}

async function textOf(store: ObjectStore, key: string): Promise<string> {
  return String(await store.getRange(key, 0, 1_000_000));
}

async function infosOf(store: ObjectStore, prefix: string, startAfter?: string): Promise<ObjectInfo[]> {
  const infos: ObjectInfo[] = [];
  for await (const page of store.list(prefix, { startAfter })) infos.push(...page);
  return infos;
}

async function keysOf(store: ObjectStore, prefix: string, startAfter?: string): Promise<string[]> {
  return (await infosOf(store, prefix, startAfter)).map(({ key }) => key);
}
