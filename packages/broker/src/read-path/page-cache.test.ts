import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, silentLog } from '@weir/core';
import { settle } from '@weir/core/testing';
import { Page, pagesOf } from './page.ts';
import { PageCache } from './page-cache.ts';
import { pageMetrics } from './page-metrics.ts';
import type { PageSource } from './page-source.ts';
import { routedPages } from './routed-pages.ts';

class CountingSource implements PageSource {
  reads: string[] = [];
  readonly #answers: (() => Promise<Page>)[];

  constructor(...answers: (() => Promise<Page>)[]) {
    this.#answers = answers;
  }

  read(fileId: string, index: number): Promise<Page> {
    this.reads.push(`${fileId}/${index}`);
    return this.#answers.shift()?.() ?? Promise.resolve(new Page([Buffer.alloc(100, index)]));
  }
}

test('concurrent reads of a page share one read of the bucket', async () => {
  let resolvePage: (page: Page) => void = () => {};
  const source = new CountingSource(
    () =>
      new Promise((resolve) => {
        resolvePage = resolve;
      }),
  );
  const cache = new PageCache({ source, cacheBytesMax: 1_000 });
  const readers = [cache.read('f', 0), cache.read('f', 0), cache.read('f', 0)];
  await settle();
  resolvePage(new Page([Buffer.from('page')]));
  const pages = await Promise.all(readers);
  assert.deepEqual(source.reads, ['f/0']);
  assert.ok(pages.every((page) => page === pages[0]));
  assert.equal(await cache.read('f', 0), pages[0]);
  assert.equal(cache.peek('f', 0), pages[0]);
  assert.equal(cache.peek('f', 1), undefined);
});

test('a failed read fails all its waiters, and is not cached', async () => {
  const source = new CountingSource(() => Promise.reject(new Error('lost')));
  const cache = new PageCache({ source, cacheBytesMax: 1_000 });
  const readers = await Promise.allSettled([cache.read('f', 0), cache.read('f', 0)]);
  assert.deepEqual(
    readers.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal((await cache.read('f', 0)).byteLength, 100);
  assert.equal(source.reads.length, 2);
});

test('the least recently used pages are evicted', async () => {
  const source = new CountingSource();
  const cache = new PageCache({ source, cacheBytesMax: 350 });
  for (const index of [0, 1, 2]) await cache.read('f', index);
  assert.equal(cache.bytes, 300);
  await cache.read('f', 0);
  await cache.read('f', 3);
  assert.equal(cache.bytes, 300);
  assert.deepEqual(
    [0, 1, 2, 3].map((index) => cache.peek('f', index) !== undefined),
    [true, false, true, true],
  );
  cache.put('g', 0, new Page([Buffer.alloc(400)]));
  assert.equal(cache.peek('g', 0), undefined, 'too large for the cache');
  cache.put('f', 3, new Page([Buffer.alloc(10)]));
  assert.equal(cache.bytes, 210);
});

test('a file in slices and the same file in one buffer have the same pages', () => {
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));
  const cuts = [0, 1, 7, 99, 100, 101, 350, 351, 352, 999, 1_000];
  const slices = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
  for (const pageBytes of [1, 33, 100, 350, 1_000, 5_000]) {
    const pages = pagesOf(slices, pageBytes);
    assert.equal(pages.length, Math.ceil(1_000 / pageBytes));
    for (const [index, page] of pages.entries()) {
      const start = index * pageBytes;
      const expected = bytes.subarray(start, start + pageBytes);
      for (const [from, to] of [
        [0, page.byteLength],
        [page.byteLength >> 1, page.byteLength],
        [0, 1],
      ]) {
        const into: Buffer[] = [];
        page.collect(from!, to!, into);
        assert.deepEqual(Buffer.concat(into), expected.subarray(from, to));
        assert.ok(
          into.every((piece) => piece.buffer === bytes.buffer),
          'shares the memory',
        );
        assert.ok(into.every((piece) => piece.length > 0));
      }
    }
  }
});

test('pages come from their keeper, and from the bucket if the keeper fails', async () => {
  const bucket = new CountingSource();
  const other = new CountingSource(
    () => Promise.resolve(new Page([Buffer.from('theirs')])),
    () => Promise.reject(new Error('gone')),
  );
  const cache = new PageCache({ source: bucket, cacheBytesMax: 1_000 });
  const metrics = new Metrics();
  const pages = routedPages(cache, (fileId) => (fileId === 'theirs' ? other : undefined), {
    log: silentLog,
    metrics: pageMetrics(metrics),
  });
  assert.equal((await pages.read('theirs', 0)).byteLength, 6);
  assert.equal((await pages.read('theirs', 1)).byteLength, 100);
  assert.equal((await pages.read('mine', 2)).byteLength, 100);
  assert.deepEqual(
    [other.reads, bucket.reads],
    [
      ['theirs/0', 'theirs/1'],
      ['theirs/1', 'mine/2'],
    ],
  );
  assert.match(metrics.render(), /remote_counter\{outcome="success",source="remote"\} 1\n/);
  assert.match(metrics.render(), /remote_counter\{outcome="failure",source="remote"\} 1\n/);
  assert.match(metrics.render(), /remote_counter\{outcome="miss",source="local"\} 2\n/);
});

test('concurrent reads of a page of another agent share one request', async () => {
  const lender = new CountingSource();
  const bucket = new CountingSource();
  const cache = new PageCache({ source: bucket, cacheBytesMax: 1_000 });
  const pages = await Promise.all([0, 0, 0].map(() => cache.borrow('f', 0, lender)));
  assert.ok(pages.every((page) => page === pages[0]));
  assert.equal(cache.peek('f', 0), pages[0]);
  assert.equal(await cache.read('f', 0), pages[0], 'a borrowed page is not read again');
  assert.deepEqual([lender.reads, bucket.reads], [['f/0'], []]);
});

test('borrowed pages take at most a quarter of the cache, and own pages do not evict them', async () => {
  const lender = new CountingSource();
  const cache = new PageCache({ source: new CountingSource(), cacheBytesMax: 1_000 });
  const held = (fileId: string) =>
    Array.from({ length: 12 }, (_, index) => index).filter((index) => cache.expects(fileId, index));
  for (let index = 0; index < 12; index++) await cache.borrow('theirs', index, lender);
  assert.deepEqual(held('theirs'), [10, 11]);
  for (let index = 0; index < 12; index++) await cache.read('ours', index);
  assert.deepEqual(held('ours'), [4, 5, 6, 7, 8, 9, 10, 11], 'own pages take the remaining memory');
  assert.deepEqual(held('theirs'), [10, 11]);
  assert.equal(cache.bytes, 1_000);
});
