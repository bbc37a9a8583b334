import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { storageLimits } from '../src/limits.ts';
import { type BucketTables, discardAll } from '../src/sql/bucket-tables.ts';
import { copyRange } from '../src/sql/content-range.ts';
import { sqlStore } from '../src/sql/sql-store.ts';
import type { ObjectStore } from '../src/store/object-store.ts';

interface SqlBucket {
  readonly tables: BucketTables;
  /** Chunks to which no row refers would be invisible otherwise. */
  countChunks(): Promise<number>;
}

interface SqlBucketOptions {
  /** Opens an empty bucket. */
  readonly open: () => SqlBucket;
  readonly skip?: string | false;
}

/** What every bucket in a database does beyond the contract of a store. */
export function sqlBucketRules(name: string, { open, skip = false }: SqlBucketOptions): void {
  function rule(
    sentence: string,
    check: (store: ObjectStore, bucket: SqlBucket) => Promise<void>,
    chunkBytes: number = storageLimits.sqlChunkBytes,
  ): void {
    test(`${name}: ${sentence}`, { skip }, async () => {
      const bucket = open();
      try {
        await check(sqlStore(bucket.tables, chunkBytes), bucket);
      } finally {
        await bucket.tables.close();
      }
    });
  }

  rule(
    'an object is read across its chunks, from any byte to any other',
    async (store) => {
      const content = Buffer.from(Array.from({ length: 45 }, (_, index) => index));
      await store.put('a', [content.subarray(0, 7), content.subarray(7)]);
      assert.equal((await store.head('a'))?.bytes, 45);
      const starts = [0, 1, 15, 16, 17, 31, 32, 44, 45, 46];
      for (const start of starts)
        for (const end of [start, start + 1, 16, 33, 45, 100].filter((end) => end >= start)) {
          const found = await store.getRange('a', start, end);
          assert.deepEqual([...found], [...content.subarray(start, end)], `${start} to ${end}`);
        }
    },
    16,
  );

  rule('a read of several steps is of one object', async (store, { tables }) => {
    const first = Buffer.alloc(6 * MiB, 'a');
    const second = Buffer.alloc(6 * MiB, 'b');
    await store.put('key', [first]);
    let reads = 0;
    const replacing: BucketTables = Object.create(tables, {
      read: {
        async value(...range: Parameters<BucketTables['read']>) {
          if (reads++ === 1) await store.put('key', [second]);
          return await tables.read(...range);
        },
      },
    });
    const found = await sqlStore(replacing).getRange('key', 0, 6 * MiB);
    assert.ok(found.equals(second));
    assert.equal(reads, 4, 'two steps, and the same again');
  });

  rule(
    'an object that is replaced or deleted leaves no chunk behind',
    async (store, { tables, countChunks }) => {
      for (const size of [5, 100, 7]) await store.put('key', [Buffer.alloc(size, size)]);
      await store.putIfAbsent('key', [Buffer.alloc(99)]);
      const upload = await store.beginUpload('key');
      await upload.putPart(0, [Buffer.alloc(50)]);
      await upload.finish(1);
      assert.equal((await store.getRange('key', 0, 100)).length, 50);
      await store.put('other', [Buffer.alloc(40)]);
      await store.deleteMany(['key', 'other']);
      assert.deepEqual(await tables.leftovers(-60_000), []);
      assert.equal(await countChunks(), 0);
    },
    16,
  );

  rule(
    'what a process left after an object was replaced is removed by the next call that removes something',
    async (store, { tables, countChunks }) => {
      await store.put('key', [Buffer.alloc(100)]);
      // As a process does that ends in between.
      const contents = await tables.remove(['key']);
      assert.equal(contents.length, 1);
      assert.deepEqual(await store.incompleteUploads!.list(''), { uploads: [], next: undefined });
      assert.deepEqual(await tables.leftovers(60_000), contents);
      await store.delete('another');
      assert.deepEqual(await tables.leftovers(60_000), []);
      assert.equal(await countChunks(), 0);
    },
    16,
  );

  rule(
    'a content that is being discarded takes no chunk and becomes no object',
    async (store, { tables, countChunks }) => {
      const content = randomUUID();
      await tables.begin(content, 'key');
      assert.ok(await tables.addChunk(content, 0, own('0123')));
      await discardAll(tables, [content]);
      assert.equal(await tables.addChunk(content, 1, own('4567')), false);
      const object = { key: 'key', content, bytes: 4, chunkBytes: 4 };
      assert.equal(await tables.place(object, false), 'incomplete');
      assert.equal(await store.head('key'), undefined);
      assert.equal(await countChunks(), 0);
    },
    4,
  );

  rule(
    'an object is placed once, and discarding its content does not touch it',
    async (store, { tables }) => {
      const content = randomUUID();
      const object = { key: 'key', content, bytes: 6, chunkBytes: 4 };
      await tables.begin(content, 'key');
      await tables.addChunk(content, 0, own('0123'));
      assert.equal(await tables.place(object, false), 'incomplete');
      await tables.addChunk(content, 1, own('45'));
      assert.deepEqual(await tables.place(object, true), { replaced: undefined });
      assert.deepEqual(await tables.place(object, true), { replaced: undefined });
      await discardAll(tables, [content]);
      assert.equal(String(await store.getRange('key', 0, 9)), '012345');
      const other = randomUUID();
      await tables.begin(other, 'key');
      await tables.addChunk(other, 0, own('x'));
      const late = { key: 'key', content: other, bytes: 1, chunkBytes: 4 };
      assert.equal(await tables.place(late, true), 'exists');
      assert.deepEqual(await tables.place(late, false), { replaced: content });
    },
    4,
  );

  rule('writers of one key at a time leave one whole object', async (store, { tables, countChunks }) => {
    const contents = Array.from({ length: 12 }, (_, index) => Buffer.alloc(30 + index, index));
    const small = sqlStore(tables, 16);
    await Promise.all(contents.map((content) => small.put('key', [content])));
    const found = await store.getRange('key', 0, 100);
    assert.ok(contents.some((content) => content.equals(found)));
    await small.delete('key');
    assert.deepEqual(await tables.leftovers(-60_000), []);
    assert.equal(await countChunks(), 0);
  });

  rule('uploads are listed page by page', async (store, { tables }) => {
    for (let number = 0; number < 1003; number++)
      await tables.begin(randomUUID(), `uploads/${String(number >> 1).padStart(4, '0')}`);
    const { incompleteUploads } = store;
    const first = await incompleteUploads!.list('uploads/');
    assert.equal(first.uploads.length, 1000);
    const second = await incompleteUploads!.list('uploads/', { from: first.next });
    assert.equal(second.uploads.length, 3);
    assert.equal(second.next, undefined);
    const ids = [...first.uploads, ...second.uploads].map(({ uploadId }) => uploadId);
    assert.equal(new Set(ids).size, 1003);
    await discardAll(tables, ids);
    assert.deepEqual((await incompleteUploads!.list('')).uploads, []);
  });
}

/** Memory of its own, which the tables may take. */
function own(text: string): Buffer<ArrayBuffer> {
  return copyRange([Buffer.from(text)], 0, text.length);
}
