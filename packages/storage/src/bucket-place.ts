import { fileURLToPath } from 'node:url';
import { azblobServer, parseAzblobUrl } from './azblob/azblob-url.ts';
import { parseGsUrl } from './gs/gs-url.ts';
import { parseS3Url } from './s3/s3-url.ts';
import { parsePostgresUrl, parseSqliteUrl, usualTable } from './sql/sql-url.ts';
import { checkKey } from './store/key.ts';
import { StoreError } from './store/store-error.ts';

const bucketSchemes = ['mem', 'file', 's3', 'gs', 'azblob', 'postgres', 'postgresql', 'sqlite'] as const;
export type BucketScheme = (typeof bucketSchemes)[number];

const planned = ['service_multi', 'service_stripe'];

/** The location of a bucket's objects, as the driver of its scheme interprets the URL. */
export interface BucketPlace {
  readonly scheme: BucketScheme;
  /**
   * The server that receives requests and credentials; `aws` for any of AWS, `google` for Google, empty where there is
   * none.
   */
  readonly server: string;
  /** The name of the bucket, its directory without a trailing slash, or its database and tables. */
  readonly bucket: string;
  /** The folder of all objects, without a trailing slash; empty for the whole bucket. */
  readonly folder: string;
}

/** Parses a bucket URL; throws a `StoreError` for one that `openStore` would not open. */
export function bucketPlace(text: string): BucketPlace {
  const { url, folder, scheme } = readBucketUrl(text);
  switch (scheme) {
    case 'mem':
      return { scheme, server: '', bucket: url.host + url.pathname, folder };
    case 'file':
      return { scheme, server: '', bucket: directoryOf(url).replace(/(?<=.)\/+$/, ''), folder };
    case 's3': {
      const { bucket, endpoint, isTls } = parseS3Url(url);
      const server = endpoint === undefined ? `aws${isTls ? '' : ' without TLS'}` : new URL(endpoint).origin;
      return { scheme, server, bucket, folder };
    }
    case 'gs': {
      const { bucket, endpoint } = parseGsUrl(url);
      return { scheme, server: endpoint === undefined ? 'google' : new URL(endpoint).origin, bucket, folder };
    }
    case 'azblob': {
      const location = parseAzblobUrl(url);
      return { scheme, server: azblobServer(location), bucket: location.container, folder };
    }
    case 'postgres':
    case 'postgresql': {
      const { host, port, database, table } = parsePostgresUrl(url);
      return { scheme: 'postgres', server: `${host}:${port}`, bucket: `${database}/${table}`, folder };
    }
    case 'sqlite': {
      const { path, table } = parseSqliteUrl(url);
      return { scheme, server: '', bucket: table === usualTable ? path : `${path}?table=${table}`, folder };
    }
  }
}

/** Whether all objects of a bucket are inside another, which may name a folder. */
export function isWithinBucket(inner: BucketPlace, outer: BucketPlace): boolean {
  if (inner.scheme !== outer.scheme || inner.server !== outer.server) return false;
  const isBelow = (path: string, top: string) => top === '' || path === top || path.startsWith(`${top}/`);
  if (inner.scheme === 'file' && outer.folder === '')
    return isBelow(inner.bucket, outer.bucket === '/' ? '' : outer.bucket);
  return inner.bucket === outer.bucket && isBelow(inner.folder, outer.folder);
}

export function readBucketUrl(text: string) {
  const named = /^([a-z_][a-z\d_]*):\/\//.exec(text)?.[1] ?? '';
  if (planned.includes(named)) {
    throw new StoreError('invalid', `${named}://`, 'not available in this release');
  }
  const scheme = bucketSchemes.find((known) => known === named);
  if (scheme === undefined) {
    const allowed = bucketSchemes.map((name) => `${name}://`);
    throw new StoreError('invalid', 'bucket URL', `one of ${allowed.join(', ')} is needed`);
  }
  if (!URL.canParse(text)) throw new StoreError('invalid', `${scheme}://`, 'a well-formed URL is needed');
  const url = new URL(text);
  if (scheme !== 'file' && scheme !== 'sqlite' && url.host === '') {
    throw new StoreError('invalid', `${scheme}://`, 'a name is needed');
  }
  // The prefix names a folder, with or without its slash.
  const folder = (url.searchParams.get('prefix') ?? '').replace(/\/+$/, '');
  if (folder !== '') checkKey(folder);
  return { url, folder, scheme };
}

export function directoryOf(url: URL): string {
  if (url.host !== '' || url.pathname.length < 2) {
    throw new StoreError('invalid', 'file://', 'file:/// and an absolute path is needed');
  }
  const path = new URL(url);
  path.search = '';
  try {
    return fileURLToPath(path);
  } catch {
    throw new StoreError('invalid', 'file://', 'a path without encoded slashes is needed');
  }
}
