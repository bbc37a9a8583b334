import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { identity } from './server.ts';

export async function createBucket(port: number, bucket: string): Promise<void> {
  const client = s3Client(port);
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
}

export function s3Client(port: number): S3Client {
  return new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: identity,
  });
}
