import type { Clock, Log, Random } from '@weir/core';
import { Metrics } from '@weir/core';
import {
  type Catalog,
  type DataFiles,
  ObjectStoreCatalog,
  storeDataFiles,
  storeFiles,
  type TableFiles,
  type TableName,
} from '@weir/iceberg';
import { type EndedRequest, type ObjectStore, openStore, problemOfBucket } from '@weir/storage';
import { TableBlocked } from '../append/table-blocked.ts';
import type { TableBucket } from './process-messages.ts';
import { tableRoot } from './table-root.ts';

/** The bucket that tables lie in. */
interface OpenTableBucket {
  readonly catalog: Catalog;
  readonly files: TableFiles;
  readonly dataFiles: DataFiles;
  /** The URI that the folders of tables are below. */
  readonly root: string;
}

interface TableBucketsOptions {
  readonly bucket: TableBucket;
  readonly onRequest: (bucket: string, request: EndedRequest) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const namespace = '_tableflow';

/** The folder of a table in its bucket. */
export function tableNameIn({
  tableName,
  tableUuid,
}: {
  readonly tableName: string;
  readonly tableUuid: string;
}): TableName {
  return { namespace: [namespace], name: `${tableName}-${tableUuid}` };
}

/** Buckets of tables, each of which is opened once. */
export class TableBuckets {
  readonly #options: TableBucketsOptions;
  readonly #open = new Map<string, Promise<OpenTableBucket & { readonly store: ObjectStore }>>();

  constructor(options: TableBucketsOptions) {
    this.#options = options;
  }

  /** The bucket that a configuration names; that of the agents if it names none. Throws `TableBlocked`. */
  async bucketOf(url: string = this.#options.bucket.url): Promise<OpenTableBucket> {
    const { bucket } = this.#options;
    if (url !== bucket.url) {
      const problem = problemOfBucket(url, { ownUrls: [bucket.url], allowedUrls: bucket.allowedUrls });
      if (problem !== undefined) throw new TableBlocked(`destination_bucket_url: ${problem}`);
    }
    let opened = this.#open.get(url);
    if (opened === undefined) {
      opened = this.#opened(url);
      this.#open.set(url, opened);
      opened.catch(() => this.#open.delete(url));
    }
    return opened;
  }

  async close(): Promise<void> {
    for (const opened of this.#open.values())
      await opened.then(
        ({ store }) => store.close(),
        () => {},
      );
  }

  async #opened(url: string) {
    const { bucket, onRequest, clock, random, log } = this.#options;
    const { retiredUrls, environment, usesMetadataService, s3 } = bucket;
    const store = await openStore(url, {
      clock,
      random,
      environment,
      log,
      metrics: new Metrics(),
      usesMetadataService,
      s3,
      onRequest,
      retiredBucketUrls: retiredUrls,
    });
    const bucketRoot = tableRoot(url);
    const root = `${bucketRoot}/service`;
    const files = storeFiles(store, bucketRoot);
    return {
      store,
      files,
      dataFiles: storeDataFiles(store, bucketRoot),
      catalog: new ObjectStoreCatalog({ files, root, clock, log }),
      root: `${root}/${namespace}`,
    };
  }
}
