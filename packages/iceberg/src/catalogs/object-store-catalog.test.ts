import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import { aroundStore, type ObjectStore, StoreError } from '@weir/storage';
import { emptyMemoryStore } from '@weir/storage/testing';
import { catalogContract } from '../../testing/catalog-contract.ts';
import { dataFile } from '../../testing/files.ts';
import { orders, ordersPath, root, TestLake } from '../../testing/tables.ts';
import { PropertyChange } from '../changes/metadata-changes.ts';
import { storeFiles } from '../files/store-files.ts';
import { snapshotOfRef } from '../metadata/table-metadata.ts';
import { ChangeRefused, CommitUnknown } from '../table-errors.ts';

catalogContract('object store', async () => new TestLake().catalog);

const file = (name: string) => dataFile(`${ordersPath}/data/${name}`);
const append = (lake: TestLake, name: string) => lake.change({ operation: 'append', added: [file(name)] });
const folder = 'shop/orders/metadata';

type Writes = 'put' | 'putIfAbsent';

/** A store whose writes fail as the function says: before they take effect, or after. */
function failing(
  inner: ObjectStore,
  fault: (operation: Writes, key: string) => 'before' | 'after' | undefined,
): ObjectStore {
  return aroundStore(inner, async ({ operation, key, signal, run }) => {
    const when = operation === 'put' || operation === 'putIfAbsent' ? fault(operation, key) : undefined;
    if (when === 'before') throw new StoreError('timeout', key, 'failed by design');
    const result = await run(signal);
    if (when === 'after') throw new StoreError('timeout', key, 'failed by design');
    return result;
  });
}

test('a table is a folder that other engines read', async () => {
  const lake = new TestLake();
  await lake.create();
  await lake.commit(append(lake, 'a'));
  const keys = (await lake.keys()).filter((key) => !key.endsWith('.avro'));
  assert.deepEqual(keys, [
    `${folder}/v1.metadata.json`,
    `${folder}/v2.metadata.json`,
    `${folder}/version-hint.text`,
  ]);
  assert.equal(String(await lake.store.getRange(`${folder}/version-hint.text`, 0, 10)), '2');
  const { metadata } = await lake.catalog.load(orders);
  assert.equal(metadata.location, ordersPath);
  assert.deepEqual(
    metadata.metadataLog.map(({ path }) => path),
    [`${root}/${folder}/v1.metadata.json`],
  );
});

test('the newest version is found, whatever the hint says', async () => {
  const lake = new TestLake();
  await lake.create();
  for (let count = 0; count < 40; count++)
    await lake.commit(new PropertyChange({ set: { count: String(count) } }));
  const newest = `${root}/${folder}/v41.metadata.json`;
  // the hint; versions that are deleted
  const cases: [string | undefined, number[]][] = [
    ['41', []],
    ['40', []],
    ['1', []],
    [' 12\n', []],
    [undefined, []],
    ['', []],
    ['garbage', []],
    ['-3', []],
    ['99', []],
    ['3', [1, 2, 3]],
  ];
  for (const [hint, deleted] of cases) {
    if (hint === undefined) await lake.store.delete(`${folder}/version-hint.text`);
    else await lake.store.put(`${folder}/version-hint.text`, [Buffer.from(hint)]);
    for (const number of deleted) await lake.store.delete(`${folder}/v${number}.metadata.json`);
    assert.equal((await lake.catalog.load(orders)).metadataPath, newest, `hint ${hint}`);
  }
});

test('writers race, and no append is lost or made twice', async () => {
  const first = new TestLake();
  await first.create();
  const names = Array.from({ length: 24 }, (_, at) => `f${String(at).padStart(2, '0')}`);
  await Promise.all(
    [0, 1, 2, 3].map(async (writer) => {
      const lake = first.another(100 + writer);
      for (const name of names.filter((_, at) => at % 4 === writer))
        await lake.commit(append(lake, name), 1000);
    }),
  );
  assert.deepEqual(await first.liveFiles(), names);
  const { metadata } = await first.catalog.load(orders);
  assert.equal(metadata.snapshots.length, 24);
  assert.equal(snapshotOfRef(metadata)!.summary['total-records'], '24');
  assert.equal(metadata.lastSequenceNumber, 24n);
  // Manifests and lists of attempts that lost are gone: one list per snapshot.
  const lists = (await first.keys()).filter((key) => key.includes('/snap-'));
  assert.equal(lists.length, 24);
});

test('lost answers: a commit that happened is recognised, and made once', async () => {
  const random = seededRandom(11);
  const first = new TestLake();
  await first.create();
  const names: string[] = [];
  await Promise.all(
    [0, 1, 2].map(async (writer) => {
      const store = failing(first.store, (_operation, key) => {
        if (!key.includes('.metadata.json') || random.below(3) > 0) return undefined;
        return random.below(2) === 0 ? 'before' : 'after';
      });
      const lake = first.another(200 + writer, store);
      for (let count = 0; count < 6; count++) {
        names.push(`w${writer}-${count}`);
        await lake.commit(append(lake, `w${writer}-${count}`), 1000);
      }
    }),
  );
  assert.deepEqual(await first.liveFiles(), names.sort());
  assert.equal((await first.catalog.load(orders)).metadata.snapshots.length, 18);
});

test('a put that arrives after the next attempt began is recognised', async () => {
  const lake = new TestLake();
  await lake.create();
  const change = append(lake, 'a');
  const { metadata } = await lake.catalog.load(orders);
  const early = await change.on(metadata);
  // The first attempt is on its way when the second one is prepared, and arrives before it.
  let isFirst = true;
  const slow = lake.another(
    9,
    failing(lake.store, (operation) => {
      if (operation !== 'putIfAbsent' || !isFirst) return undefined;
      isFirst = false;
      return 'before';
    }),
  );
  await assert.rejects(slow.catalog.commit(orders, early), CommitUnknown);
  const second = await change.on(metadata);
  await lake.catalog.commit(orders, early);
  await assert.rejects(lake.catalog.commit(orders, second));
  await lake.commit(change);
  assert.deepEqual(await lake.liveFiles(), ['a']);
  assert.equal((await lake.catalog.load(orders)).metadata.snapshots.length, 1);
});

test('a change that is given up while a put is on its way leaves its files', async () => {
  const lake = new TestLake();
  await lake.create();
  let onItsWay: (() => Promise<unknown>) | undefined;
  const slow = aroundStore(lake.store, async ({ operation, key, signal, run }) => {
    if (operation !== 'putIfAbsent') return run(signal);
    onItsWay = () => run(undefined);
    throw new StoreError('timeout', key, 'failed by design');
  });
  let attempts = 0;
  const writer = lake.another(5, slow);
  const change = writer.change({
    operation: 'append',
    added: [file('a')],
    validate: () => {
      if (attempts++ > 0) throw new ChangeRefused('obsolete');
    },
  });
  await assert.rejects(writer.commit(change), /obsolete/);
  // It arrives after all, and the table is whole.
  await onItsWay!();
  assert.deepEqual(await lake.liveFiles(), ['a']);
});

test('a crash at any step leaves a table that is read and written', async () => {
  let steps = 0;
  for (let step = 0; ; step++) {
    let isOver = true;
    for (const when of ['before', 'after'] as const) {
      const lake = new TestLake(emptyMemoryStore(), 1);
      await lake.create();
      await lake.commit(append(lake, 'a'));
      let writes = 0;
      const crashing = lake.another(
        2,
        // From this write on, nothing happens any more.
        failing(lake.store, () => {
          const at = writes++;
          return at < step ? undefined : at === step ? when : 'before';
        }),
      );
      const change = crashing.change({
        operation: 'replace',
        removed: [file('a').path],
        added: [file('b'), file('c')],
      });
      const outcome = await crashing.commit(change, 1).then(
        () => 'committed',
        () => 'failed',
      );
      if (writes > step) isOver = false;
      // Another process finds one of both states, complete, and goes on.
      const next = lake.another(3);
      const live = await next.liveFiles();
      assert.ok(
        [['a'], ['b', 'c']].some((one) => one.join() === live.join()),
        `step ${step} ${when}: ${live}`,
      );
      if (outcome === 'committed') assert.deepEqual(live, ['b', 'c']);
      await next.commit(append(next, 'd'));
      assert.deepEqual(await next.liveFiles(), [...live, 'd']);
    }
    steps = step;
    if (isOver) break;
  }
  // Two manifests, the list, the version, the hint.
  assert.equal(steps, 5);
});

test('a crash while a table is dropped never shows an older state', async () => {
  for (let step = 0; step < 5; step++) {
    const lake = new TestLake();
    await lake.create();
    for (const name of 'abc') await lake.commit(append(lake, name));
    let deletions = 0;
    const store = aroundStore(lake.store, async ({ operation, key, signal, run }) => {
      if (operation === 'deleteMany' && deletions++ >= step)
        throw new StoreError('unavailable', key, 'crashed');
      return run(signal);
    });
    await lake
      .another(4, store)
      .catalog.drop(orders)
      .catch(() => undefined);
    const live = await lake.liveFiles().catch((error: Error) => error.name);
    assert.ok(live === 'TableNotFound' || live.toString() === 'a,b,c', `step ${step}: ${live}`);
    if (live !== 'TableNotFound') await lake.catalog.drop(orders, { purge: true });
    await assert.rejects(lake.catalog.load(orders), /shop\.orders: there is no such table/);
  }
});

test('a purge removes all files of the table and no others', async () => {
  const lake = new TestLake();
  await lake.create();
  await lake.commit(append(lake, 'a'));
  await lake.store.put('shop/orders2/metadata/v1.metadata.json', [Buffer.from('{}')]);
  await lake.catalog.drop(orders, { purge: true });
  assert.deepEqual(await lake.keys(), ['shop/orders2/metadata/v1.metadata.json']);
});

test('old metadata is forgotten, and deleted if the table says so', async () => {
  const lake = new TestLake();
  await lake.create({
    properties: {
      'write.metadata.previous-versions-max': '2',
      'write.metadata.delete-after-commit.enabled': 'true',
    },
  });
  for (let count = 0; count < 5; count++)
    await lake.commit(new PropertyChange({ set: { count: String(count) } }));
  const versions = (await lake.keys()).filter((key) => key.endsWith('.metadata.json'));
  assert.deepEqual(
    versions,
    [4, 5, 6].map((number) => `${folder}/v${number}.metadata.json`),
  );
  assert.equal((await lake.catalog.load(orders)).metadata.metadataLog.length, 2);
});

test('names that lead elsewhere, and tables that are moved, are refused', async () => {
  const lake = new TestLake();
  for (const name of ['..', 'a/b', '', '.hidden', 'x'.repeat(201), 'a b'])
    await assert.rejects(
      lake.catalog.load({ namespace: ['shop'], name }),
      /names of tables and namespaces/,
      name,
    );
  await assert.rejects(
    lake.create({ location: 's3://lake/other' }),
    /lies in s3:\/\/lake\/warehouse\/shop\/orders/,
  );
  await lake.create({ location: `${ordersPath}/` });
  await assert.rejects(
    lake.catalog.commit(orders, {
      requirements: [],
      updates: [{ action: 'set-location', location: 's3://lake/other' }],
    }),
    /cannot be moved/,
  );
});

test('files are found by the URIs of other programs, and only in the bucket', async () => {
  const store = emptyMemoryStore();
  // root, URI of a file
  const cases: [string, string][] = [
    ['s3://lake/x', 's3a://lake/x/k'],
    ['s3a://lake/x/', 's3://lake/x/k'],
    ['file:///tmp/x', 'file:/tmp/x/k'],
    ['gs://lake', 'gs://lake/k'],
  ];
  for (const [at, path] of cases) {
    await storeFiles(store, at).write(path, Buffer.from(at));
    assert.equal(String(await store.getRange('k', 0, 100)), at);
  }
  await assert.rejects(
    storeFiles(store, 's3://lake/x').read('s3://lake/xy/k', 10),
    /outside of s3:\/\/lake\/x/,
  );
  await assert.rejects(storeFiles(store, 'gs://lake').read('gs://lake/k', 3), /larger than 3 bytes/);
  assert.equal(await storeFiles(store, 'gs://lake').read('gs://lake/none', 3), undefined);
});
