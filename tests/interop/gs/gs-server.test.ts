import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { type ObjectStore, openStore } from '@weir/storage';
import { storageLimits } from '@weir/storage/limits';
import { logFileRule, objectStoreContract } from '@weir/storage/testing';
import { builtGsServer, type GsServer, startGsServer } from './server.ts';

/** A third-party server checks Weir's requests, with the contract suite that every store has to pass. */
const { missing: skip, program } = builtGsServer();
let server: GsServer | undefined;
let buckets = 0;

before(async () => {
  if (skip === false) server = await startGsServer(program);
});
after(() => server?.stop());

function openBucket(bucket: string, query = ''): Promise<ObjectStore> {
  return openStore(`gs://${bucket}?endpoint=${server!.address}${query}`, {
    clock: systemClock,
    random: systemRandom,
    environment: {},
    log: silentLog,
    metrics: new Metrics(),
  });
}

async function open(query = ''): Promise<ObjectStore> {
  const bucket = `judged-${buckets++}`;
  await server!.createBucket(bucket);
  return openBucket(bucket, query);
}

objectStoreContract('gs', {
  open: () => open(),
  openMissing: () => openBucket('not-created'),
  skip,
  manyObjects: 1100,
});
objectStoreContract('gs with a prefix', {
  open: () => open('&prefix=a/folder+of/ours'),
  skip,
  manyObjects: 20,
});

test('an object of more parts than one request joins is whole', { skip }, async () => {
  const store = await open();
  const { uploadPartBytes } = storageLimits;
  const part = Buffer.alloc(uploadPartBytes);
  const upload = await store.beginUpload('service/vci_1/large');
  for (let index = 0; index < 34; index++) {
    part.fill(index);
    await upload.putPart(index, [index === 33 ? part.subarray(0, 3) : part]);
  }
  await upload.finish(34);
  assert.equal((await store.head('service/vci_1/large'))?.bytes, 33 * uploadPartBytes + 3);
  for (const index of [0, 31, 32, 33]) {
    const at = index * uploadPartBytes;
    assert.deepEqual([...(await store.getRange('service/vci_1/large', at, at + 2))], [index, index]);
  }
  const keys = [];
  for await (const page of store.list('')) keys.push(...page.map(({ key }) => key));
  assert.deepEqual(keys, ['service/vci_1/large']);
  assert.deepEqual((await store.incompleteUploads!.list('')).uploads, []);
  await store.close();
});

logFileRule({ open, skip });
