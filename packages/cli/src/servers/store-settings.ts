import type { StoreDeps } from '@weir/storage';

interface StoreFlags {
  readonly bucketAssumeRoleARNDefault?: string | undefined;
  readonly disableS3Checksums?: boolean | undefined;
}

/** What flags say about all buckets of a scheme. */
export function storeSettings(values: StoreFlags): Pick<StoreDeps, 's3'> {
  const { bucketAssumeRoleARNDefault: roleArnDefault, disableS3Checksums: disablesChecksums } = values;
  return { s3: { roleArnDefault, disablesChecksums } };
}
