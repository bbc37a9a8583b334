import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { type ObjectStore, openStore } from '@weir/storage';
import { logFileRule, objectStoreContract } from '@weir/storage/testing';
import { createBucket, s3Client } from '../s3/bucket.ts';
import { identity, type S3Server } from '../s3/server.ts';
import { builtVersitygw, startVersitygw } from './versitygw.ts';

/**
 * A second third-party S3 server. It follows S3 where S3Proxy does not: races for a key, byte order, missing buckets.
 */
const { missing: skip, program } = builtVersitygw();
let server: S3Server | undefined;
let buckets = 0;

before(async () => {
  if (skip === false) server = await startVersitygw(program);
});
after(() => server?.stop());

interface Opening {
  /** Further parameters of the URL, each with `&` before it. */
  readonly query?: string;
  readonly secret?: string;
  readonly disablesChecksums?: boolean;
}

function openBucket(bucket: string, opening: Opening = {}): Promise<ObjectStore> {
  const { query = '', secret = identity.secretAccessKey, disablesChecksums } = opening;
  const endpoint = `endpoint=127.0.0.1:${server!.port}&disableSSL=true&s3ForcePathStyle=true`;
  return openStore(`s3://${bucket}?region=us-east-1&${endpoint}${query}`, {
    clock: systemClock,
    random: systemRandom,
    environment: { AWS_ACCESS_KEY_ID: identity.accessKeyId, AWS_SECRET_ACCESS_KEY: secret },
    log: silentLog,
    metrics: new Metrics(),
    s3: { disablesChecksums },
  });
}

async function newBucket(): Promise<string> {
  const bucket = `judged-${buckets++}`;
  await createBucket(server!.port, bucket);
  return bucket;
}

async function open(opening?: Opening): Promise<ObjectStore> {
  return openBucket(await newBucket(), opening);
}

objectStoreContract('versitygw', {
  open: () => open(),
  openMissing: () => openBucket('never-created'),
  skip,
  manyObjects: 1100,
});
objectStoreContract('versitygw with a prefix', {
  open: () => open({ query: '&prefix=a/folder+of/ours' }),
  skip,
  manyObjects: 20,
});
objectStoreContract('versitygw without checksums', {
  open: () => open({ disablesChecksums: true }),
  skip,
  manyObjects: 20,
});

test('a wrong secret is denied, for objects, lists and uploads', { skip }, async () => {
  const store = await open({ secret: 'another secret' });
  const denied = { kind: 'denied' };
  await assert.rejects(store.put('key', [Buffer.from('x')]), denied);
  await assert.rejects(store.getRange('key', 0, 1), denied);
  await assert.rejects(store.list('')[Symbol.asyncIterator]().next(), denied);
  await assert.rejects(store.beginUpload('key'), denied);
  await assert.rejects(store.deleteMany(['key']), denied);
  await store.close();
});

const settings: readonly {
  readonly name: string;
  readonly query: string;
  readonly stored: Readonly<Record<string, string>>;
  /** Why objects do not have it on this server. */
  readonly unstored: string;
}[] = [
  {
    name: 'a storage class',
    query: '&storageClass=STANDARD_IA',
    stored: { StorageClass: 'STANDARD_IA' },
    unstored: 'versitygw keeps all objects in the class STANDARD',
  },
  {
    name: 'encryption',
    query: '&sse=AES256',
    stored: { ServerSideEncryption: 'AES256' },
    unstored: 'versitygw does not encrypt',
  },
  {
    name: 'encryption by a key',
    query: '&sse=aws:kms&sseKMSKeyId=alias/judge',
    stored: { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: 'alias/judge' },
    unstored: 'versitygw does not encrypt',
  },
];

/** Puts an object, and uploads one in parts. */
async function write(bucket: string, query: string): Promise<ObjectStore> {
  const store = await openBucket(bucket, { query });
  await store.put('put', [Buffer.from('whole')]);
  const upload = await store.beginUpload('uploaded');
  await upload.putPart(0, [Buffer.from('part')]);
  await upload.finish(1);
  return store;
}

for (const { name, query, stored, unstored } of settings) {
  test(`requests with ${name} have a valid signature`, { skip }, async () => {
    const store = await write(await newBucket(), query);
    assert.equal(String(await store.getRange('put', 0, 9)), 'whole');
    assert.equal(String(await store.getRange('uploaded', 0, 9)), 'part');
    await store.close();
  });

  test(`objects have ${name}`, { skip: skip || unstored }, async () => {
    const bucket = await newBucket();
    const store = await write(bucket, query);
    const client = s3Client(server!.port);
    for (const key of ['put', 'uploaded']) {
      const answer = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
      assert.partialDeepStrictEqual(answer, stored);
    }
    client.destroy();
    await store.close();
  });
}

logFileRule({ open, skip });
