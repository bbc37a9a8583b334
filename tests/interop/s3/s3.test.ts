import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { type ObjectStore, openStore } from '@weir/storage';
import { logFileRule, objectStoreContract } from '@weir/storage/testing';
import { missingTool } from '../apache/tools.ts';
import { createBucket } from './bucket.ts';
import { identity, type S3Server, startS3Server } from './server.ts';

/**
 * A third-party S3 server checks Weir's requests and signatures, with the contract suite that every store has to pass.
 */
const skip = missingTool();
let server: S3Server | undefined;
let buckets = 0;

before(async () => {
  if (skip === false) server = await startS3Server();
});
after(() => server?.stop());

async function open(query = '', secret: string = identity.secretAccessKey): Promise<ObjectStore> {
  const bucket = `judged-${buckets++}`;
  await createBucket(server!.port, bucket);
  return await openBucket(bucket, query, secret);
}

function openBucket(
  bucket: string,
  query = '',
  secret: string = identity.secretAccessKey,
): Promise<ObjectStore> {
  return openStore(`s3://${bucket}?${endpoint()}${query}`, {
    clock: systemClock,
    random: systemRandom,
    environment: { AWS_ACCESS_KEY_ID: identity.accessKeyId, AWS_SECRET_ACCESS_KEY: secret },
    log: silentLog,
    metrics: new Metrics(),
  });
}

function endpoint(): string {
  return `region=us-east-1&endpoint=127.0.0.1:${server!.port}&disableSSL=true&s3ForcePathStyle=true`;
}

const except = {
  'gives an absent key to one of many writers': 'S3Proxy looks first and writes then',
  'lists keys beyond 16 bits behind all others': 'S3Proxy sorts as Java does, not by bytes of UTF-8',
};

objectStoreContract('s3', { open: () => open(), skip, except, manyObjects: 1100 });
objectStoreContract('s3 with a prefix', {
  open: () => open('&prefix=a/folder+of/ours'),
  skip,
  except,
  manyObjects: 20,
});

// Not the rule of the contract: S3Proxy has no error for a deletion in a missing bucket.
test('a missing bucket is not taken for one without objects', { skip }, async () => {
  const store = await openBucket('never-created');
  const missing = { kind: 'bucketMissing' };
  await assert.rejects(store.put('key', [Buffer.from('x')]), missing);
  await assert.rejects(store.getRange('key', 0, 1), missing);
  await assert.rejects(store.head('key'), missing);
  await assert.rejects(store.list('')[Symbol.asyncIterator]().next(), missing);
  await store.close();
});

test('a wrong secret is denied, by our requests and by the list', { skip }, async () => {
  const store = await open('', 'another secret');
  await assert.rejects(store.put('key', [Buffer.from('x')]), { kind: 'denied' });
  await assert.rejects(store.getRange('key', 0, 1), { kind: 'denied' });
  await assert.rejects(store.list('')[Symbol.asyncIterator]().next(), { kind: 'denied' });
  await store.close();
});

logFileRule({ open, skip });
