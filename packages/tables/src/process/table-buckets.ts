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
import { keptTableName } from '../dead-letters/kept-records.ts';
import { nameInCatalog } from '../definition/catalog-fields.ts';
import type { CatalogSettings, Credential } from '../table-definition.ts';
import { ownedCatalog } from './owned-catalog.ts';
import type { TableBucket } from './process-messages.ts';
import type { TableCatalogs } from './table-catalogs.ts';
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
  readonly catalogs: TableCatalogs;
}

/** A table and where it is kept. */
export interface PlacedTable {
  readonly catalog: Catalog;
  readonly files: TableFiles;
  readonly dataFiles: DataFiles;
  /** As its catalog has it. Kept records are a table beside it. */
  readonly name: TableName;
  /** The URI of its folder, which is its own. */
  readonly location: string;
  /** Of the table of its kept records. */
  readonly keptLocation: string;
}

interface TableIdentity {
  readonly tableName: string;
  readonly tableUuid: string;
}

interface PlaceOptions {
  /** The bucket that a configuration names; that of the agents if absent. */
  readonly bucketUrl: string | undefined;
  /** The bucket itself if absent. */
  readonly settings: CatalogSettings | undefined;
  /** The value of a credential of the catalog. Throws one line. */
  readonly credentialOf: (credential: Credential) => string;
  /** A table of others in the catalog counts as absent; for removals. */
  readonly ignoresOthers?: boolean;
}

const namespace = '_tableflow';

/** Buckets of tables, each of which is opened once. */
export class TableBuckets {
  readonly #options: TableBucketsOptions;
  readonly #open = new Map<string, Promise<OpenTableBucket & { readonly store: ObjectStore }>>();

  constructor(options: TableBucketsOptions) {
    this.#options = options;
  }

  /** Throws `TableBlocked` if the bucket may not be used, or a credential is missing. */
  async placeOf(
    { tableName, tableUuid }: TableIdentity,
    { bucketUrl, settings, credentialOf, ignoresOthers }: PlaceOptions,
  ): Promise<PlacedTable> {
    const { catalog, files, dataFiles, root } = await this.#bucketOf(bucketUrl);
    // Tables of two catalogs share no folder: each deletes what it does not know.
    const folder = `${tableName}-${tableUuid}${settings === undefined ? '' : `-${settings.digest}`}`;
    const place = {
      files,
      dataFiles,
      location: `${root}/${folder}`,
      keptLocation: `${root}/${keptTableName({ namespace: [], name: folder }).name}`,
    };
    if (settings === undefined) return { ...place, catalog, name: { namespace: [namespace], name: folder } };
    const name = { namespace: settings.namespace, name: nameInCatalog(settings, tableName) };
    const owned = ownedCatalog({
      catalog: this.#options.catalogs.open(settings, { files, root }, credentialOf),
      tableUuid,
      tables: [
        { name, location: place.location },
        { name: keptTableName(name), location: place.keptLocation },
      ],
      ignoresOthers,
    });
    return { ...place, catalog: owned, name };
  }

  /** The bucket that a configuration names; that of the agents if it names none. Throws `TableBlocked`. */
  async #bucketOf(url: string = this.#options.bucket.url): Promise<OpenTableBucket> {
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
