import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { openStore } from '@weir/storage';
import { startSlowBucket } from '../kafka/slow-bucket.ts';
import type { DriverRival } from './driver-rival.ts';

const keys = { accessKeyId: 'bench', secretAccessKey: 'secret' };

/** Over a server that answers at once and verifies nothing. The SDK has its defaults, and sends CRC-32. */
export const s3Driver: DriverRival = {
  name: 's3',
  rivalName: '@aws-sdk/client-s3',
  async open(lifetime) {
    const bucket = await startSlowBucket(lifetime, { kind: 'constant', ms: 0 });
    const url = new URL(bucket.url);
    const ours = await openStore(bucket.url, {
      clock: systemClock,
      random: systemRandom,
      environment: { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey },
      log: silentLog,
      metrics: new Metrics(),
    });
    const { GetObjectCommand, PutObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
    const sdk = new S3Client({
      region: 'eu-west-1',
      endpoint: `http://${url.searchParams.get('endpoint')}`,
      forcePathStyle: true,
      credentials: keys,
      maxAttempts: 1,
    });
    const Bucket = url.host;
    return {
      ours,
      rival: {
        async put(Key, Body) {
          await sdk.send(new PutObjectCommand({ Bucket, Key, Body }));
        },
        async getRange(Key, start, end) {
          const Range = `bytes=${start}-${end - 1}`;
          const { Body } = await sdk.send(new GetObjectCommand({ Bucket, Key, Range }));
          return Body!.transformToByteArray();
        },
        close: () => sdk.destroy(),
      },
    };
  },
};
