import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BucketUrl, bucketUrl } from '../values/bucket-url.ts';
import type { BucketCheckValues } from './bucket-check.ts';
import { openDataDirectory } from './data-directory.ts';
import { type Identity, identityIn, newIdentity } from './identity.ts';

/** Where a cluster in one process stores its data. */
export interface ClusterPlace {
  readonly identity: Identity;
  /** Absent if everything is in memory. */
  readonly dataDir?: string;
  readonly databaseUrl: string;
  readonly bucketUrl: string;
  readonly bucketCheck: BucketCheckValues;
  /** The directory of the bucket, if this process has both bucket and database for itself. */
  readonly ownBucketPath?: string | undefined;
  /** How often metadata is copied into the bucket; never without it. */
  readonly backupIntervalMs?: number | undefined;
}

interface DirectoryValues extends BucketCheckValues {
  readonly databaseURL?: string | undefined;
  readonly bucketURL?: BucketUrl | undefined;
  readonly metadataBackup: boolean;
  readonly metadataBackupInterval: number;
}

/** A directory that this process has for itself until `cleanup`. Flags may place the database and bucket elsewhere. */
export function placeInDirectory(
  path: string,
  values: DirectoryValues,
  cleanup: DisposableStack,
): ClusterPlace & { readonly dataDir: string } {
  const dataDir = resolve(path);
  cleanup.defer(openDataDirectory(dataDir, 'alone'));
  const { databaseURL, bucketURL, metadataBackup, metadataBackupInterval } = values;
  return {
    identity: identityIn(dataDir),
    dataDir,
    databaseUrl: databaseURL ?? join(dataDir, 'weir.db'),
    bucketUrl:
      bucketURL === undefined ? pathToFileURL(join(dataDir, 'bucket')).href : bucketUrl().print(bucketURL),
    bucketCheck: values,
    ownBucketPath: databaseURL === undefined && bucketURL === undefined ? join(dataDir, 'bucket') : undefined,
    backupIntervalMs: metadataBackup ? metadataBackupInterval : undefined,
  };
}

/** All data is lost when the process stops. */
export function placeInMemory(): ClusterPlace {
  const identity = newIdentity();
  return {
    identity,
    databaseUrl: `memory://${identity.clusterId}`,
    bucketUrl: `mem://${identity.clusterId}`,
    // Memory allows everything.
    bucketCheck: { skipBucketsPermissionCheck: true, checkBucketAccessRetryCount: 0 },
  };
}
