import { resolve } from 'node:path';
import type { Clock, Environment, Log, Metrics, Random } from '@weir/core';
import { openAzblobStore } from './azblob/azblob-store.ts';
import {
  type BucketScheme,
  bucketPlace,
  bucketUrlsOf,
  directoryOf,
  placeName,
  readBucketUrl,
  readWrapperUrl,
} from './bucket-place.ts';
import type { SubBucket } from './composite/sub-bucket.ts';
import type { BreakerPolicy } from './decorators/breaker-state.ts';
import { type BreakerView, withCircuitBreaker } from './decorators/circuit-breaker.ts';
import { withHedge } from './decorators/hedge.ts';
import { type EndedRequest, metered } from './decorators/metered.ts';
import { withOrderedList } from './decorators/ordered-list.ts';
import { type RetryPolicy, withRetry } from './decorators/retry.ts';
import { withTimeout } from './decorators/timeout.ts';
import { createFileBucket } from './file/bucket-directory.ts';
import { openFileStore } from './file/file-store.ts';
import { openGsStore } from './gs/gs-store.ts';
import { openMemoryStore } from './memory/memory-store.ts';
import { openMultiStore } from './multi/multi-store.ts';
import { openS3Store, type S3Settings } from './s3/s3-store.ts';
import type { SegmentLog } from './segments/segment-log.ts';
import { SegmentReader } from './segments/segment-reader.ts';
import { withSegments } from './segments/with-segments.ts';
import { createSqliteStore, openPostgresStore, openSqliteStore } from './sql/open-sql-store.ts';
import type { StoreOperation } from './store/around.ts';
import type { ObjectStore } from './store/object-store.ts';
import { scopedStore } from './store/scoped-store.ts';
import { StoreError, type StoreErrorKind } from './store/store-error.ts';
import type { LookupFor } from './store-http/http-client.ts';
import { openStripeStore } from './stripe/stripe-store.ts';
import { writeRefusals } from './stripe/write-refusals.ts';

export interface StoreDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly environment: Environment;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Whether credentials may be requested from the metadata service of a cloud. Not by default. */
  readonly usesMetadataService?: boolean | undefined;
  /** Whether gs:// buckets that are not reached over Google's direct path must not be opened. Not by default. */
  readonly requiresGcsDirectConnectivity?: boolean | undefined;
  /** For all S3 buckets. */
  readonly s3?: S3Settings | undefined;
  /** Called for every request to a bucket, with the URL of the bucket without secrets. */
  readonly onRequest?: ((bucket: string, request: EndedRequest) => void) | undefined;
  /** The log of a bucket on disk that this process has for itself. Others only read the segments of a bucket. */
  readonly segments?: SegmentLog | undefined;
  /** Buckets that were taken out of the list of a `service_stripe://`: objects that are still there are found. */
  readonly retiredBucketUrls?: readonly string[] | undefined;
}

/** What a bucket of another is opened with. */
interface ForeignBucketDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** Variables with credentials, and no others. */
  readonly environment: Environment;
  readonly usesMetadataService?: boolean | undefined;
  readonly s3?: S3Settings | undefined;
  /** Of a `gs://` bucket: the text of a file of credentials. */
  readonly credentialsJson?: string | undefined;
  /** Decides which hosts may be connected to. Absent for all. */
  readonly lookupFor?: LookupFor | undefined;
}

/**
 * Opens a bucket that is not one of Weir's own, for pipelines that read and write objects of others. It has no retries,
 * hedges and timeouts: its callers have their own, as their configurations say.
 */
export async function openForeignBucket(url: URL, deps: ForeignBucketDeps): Promise<ObjectStore> {
  switch (url.protocol) {
    case 's3:':
      return openS3Store(url, deps);
    case 'gs:':
      return openGsStore(url, { ...deps, folder: '' });
    case 'azblob:':
      return openAzblobStore(url, deps);
    default:
      throw new StoreError('invalid', url.protocol, 'is not the scheme of a cloud');
  }
}

/** Timeout of one request. A put is a file of some megabytes over TLS, sometimes on a slow network. */
const timeoutMs: Readonly<Record<StoreOperation, number>> = {
  put: 15_000,
  putIfAbsent: 15_000,
  beginUpload: 15_000,
  putPart: 60_000,
  // S3 may take minutes to join many parts.
  finishUpload: 300_000,
  abortUpload: 15_000,
  listUploads: 15_000,
  getRange: 10_000,
  head: 5_000,
  delete: 5_000,
  deleteMany: 30_000,
  list: 15_000,
};

/** Within this time a client that waits for its Produce response has not given up yet. */
const retryPolicy: RetryPolicy = { attemptsMax: 8, totalMsMax: 30_000, pauseMsMin: 50, pauseMsMax: 2_000 };

const breakerPolicy: BreakerPolicy = { failuresMax: 16, openMs: 1_000, probesMax: 2 };

/** A hedge is worth it only after a delay of at least this. */
const hedgeDelayMsMin = 20;

interface Driver {
  /** Whether a second request may reach a less busy server. A disk or a database is always the same. */
  readonly isRemote: boolean;
  /** Objects are below `folder`, which keys include. */
  open(url: URL, deps: StoreDeps, folder: string): Promise<ObjectStore>;
  /** Makes the bucket if it does not exist. Absent where that is not our business, or happens by itself. */
  readonly create?: (url: URL) => Promise<void>;
}

const drivers: Readonly<Record<BucketScheme, Driver>> = {
  mem: { isRemote: false, open: async (url, deps) => openMemoryStore(url.host + url.pathname, deps) },
  file: {
    isRemote: false,
    open: async (url, deps) => {
      const path = resolve(directoryOf(url));
      const segments = deps.segments?.bucketPath === path ? deps.segments : new SegmentReader(path);
      return withSegments(await openFileStore(path, deps), segments);
    },
    create: (url) => createFileBucket(directoryOf(url)),
  },
  s3: { isRemote: true, open: openS3Store },
  gs: {
    isRemote: true,
    open: (url, { requiresGcsDirectConnectivity, ...deps }, folder) =>
      openGsStore(url, { ...deps, folder, requiresDirectConnectivity: requiresGcsDirectConnectivity }),
  },
  azblob: { isRemote: true, open: openAzblobStore },
  postgres: { isRemote: false, open: openPostgresStore },
  postgresql: { isRemote: false, open: openPostgresStore },
  sqlite: { isRemote: false, open: openSqliteStore, create: createSqliteStore },
};

/**
 * Opens the bucket of a URL with all decorators: metrics, timeouts, hedging, circuit breaker, retries. Behind a wrapper
 * each bucket has its own.
 */
export async function openStore(bucketUrl: string, deps: StoreDeps): Promise<ObjectStore> {
  const wrapper = readWrapperUrl(bucketUrl);
  if (wrapper === undefined) return (await openBucket(bucketUrl, deps)).store;
  // Validates all of them together.
  bucketPlace(bucketUrl);
  const { scheme, urls } = wrapper;
  const opened: SubBucket[] = [];
  const open = async (all: readonly string[]) => {
    const buckets: SubBucket[] = [];
    for (const url of all) {
      const bucket = await openBucket(url, deps, {
        name: placeName(bucketPlace(url)),
        ...(scheme === 'service_stripe' ? { passesOn: writeRefusals } : {}),
      });
      buckets.push(bucket);
      opened.push(bucket);
    }
    return buckets;
  };
  try {
    const buckets = await open(urls);
    if (scheme === 'service_multi') return openMultiStore(buckets, deps);
    const known = new Set(buckets.map(({ name }) => name));
    const retired = (deps.retiredBucketUrls ?? [])
      .flatMap(bucketUrlsOf)
      .filter((url) => !known.has(placeName(bucketPlace(url))));
    return openStripeStore(buckets, { ...deps, retired: await open(retired) });
  } catch (error) {
    await Promise.allSettled(opened.map(({ store }) => store.close()));
    throw error;
  }
}

interface BehindWrapper {
  readonly name: string;
  readonly passesOn?: ReadonlySet<StoreErrorKind>;
}

async function openBucket(
  bucketUrl: string,
  deps: StoreDeps,
  { name: givenName, passesOn }: Partial<BehindWrapper> = {},
): Promise<SubBucket> {
  const { url, folder, scheme } = readBucketUrl(bucketUrl);
  const driver = drivers[scheme];
  const bucket = scopedStore(await driver.open(url, deps, folder), folder);
  const name = givenName ?? `${scheme}://${url.host}`;
  // Without user info and query, which may contain secrets.
  const bucketName =
    givenName ?? `${scheme}://${url.host}${url.pathname}${folder === '' ? '' : `?prefix=${folder}`}`;
  const onRequest = deps.onRequest && ((request: EndedRequest) => deps.onRequest!(bucketName, request));
  let breaker: BreakerView | undefined;
  const onView = (view: BreakerView) => {
    breaker = view;
  };
  const { isRemote } = driver;
  const store = withPatience(bucket, { ...deps, onRequest, name, isRemote, onView, passesOn });
  return { name, store, breaker: breaker! };
}

/**
 * Makes the directory of a `file://` bucket, or the file of a `sqlite://` bucket, for a cluster that has no bucket yet.
 * Buckets of others are made by their operators. Opening a bucket never makes it: one that is gone must not come back
 * empty.
 */
export async function createBucket(bucketUrl: string): Promise<void> {
  for (const one of bucketUrlsOf(bucketUrl)) {
    const { url, scheme } = readBucketUrl(one);
    await drivers[scheme].create?.(url);
  }
}

interface PatienceOptions extends Pick<StoreDeps, 'clock' | 'random' | 'log' | 'metrics'> {
  readonly onRequest?: ((request: EndedRequest) => void) | undefined;
  /** Names the store in metrics and log. */
  readonly name: string;
  readonly isRemote: boolean;
  readonly onView?: ((view: BreakerView) => void) | undefined;
  readonly passesOn?: ReadonlySet<StoreErrorKind> | undefined;
}

/** The decorators of every store of an agent, from the inside out. */
export function withPatience(store: ObjectStore, options: PatienceOptions): ObjectStore {
  const limited = withTimeout(metered(withOrderedList(store), options), { ...options, timeoutMs });
  const hedged = options.isRemote ? withHedge(limited, { ...options, delayMsMin: hedgeDelayMsMin }) : limited;
  return withRetry(withCircuitBreaker(hedged, { ...options, policy: breakerPolicy }), {
    ...options,
    policy: retryPolicy,
  });
}
