import { fileURLToPath } from 'node:url';
import { azblobServer, parseAzblobUrl } from './azblob/azblob-url.ts';
import { parseGsUrl } from './gs/gs-url.ts';
import { storageLimits } from './limits.ts';
import { parseS3Url } from './s3/s3-url.ts';
import { parsePostgresUrl, parseSqliteUrl, usualTable } from './sql/sql-url.ts';
import { checkKey } from './store/key.ts';
import { StoreError } from './store/store-error.ts';

const bucketSchemes = ['mem', 'file', 's3', 'gs', 'azblob', 'postgres', 'postgresql', 'sqlite'] as const;
export type BucketScheme = (typeof bucketSchemes)[number];

const wrapperSchemes = ['service_multi', 'service_stripe'] as const;
type WrapperScheme = (typeof wrapperSchemes)[number];

/** Separates the buckets behind a wrapper. */
const separator = '<>';

/** The location of a bucket's objects, as the driver of its scheme interprets the URL. */
export interface BucketPlace {
  readonly scheme: BucketScheme | WrapperScheme;
  /**
   * The server that receives requests and credentials; `aws` for any of AWS, `google` for Google, empty where there is
   * none.
   */
  readonly server: string;
  /** The name of the bucket, its directory without a trailing slash, or its database and tables. */
  readonly bucket: string;
  /** What the URL says of the encryption of the connection, or of the role to assume; absent if nothing. */
  readonly access?: string;
  /** The folder of all objects, without a trailing slash; empty for the whole bucket. */
  readonly folder: string;
  /** The buckets behind a wrapper, which has no server, bucket or folder of its own. */
  readonly parts?: readonly BucketPlace[];
}

/** Parses a bucket URL; throws a `StoreError` for one that `openStore` would not open. */
export function bucketPlace(text: string): BucketPlace {
  const wrapper = readWrapperUrl(text);
  if (wrapper !== undefined) {
    const { scheme, urls } = wrapper;
    return { scheme, server: '', bucket: '', folder: '', parts: partPlaces(scheme, urls) };
  }
  const { url, folder, scheme } = readBucketUrl(text);
  switch (scheme) {
    case 'mem':
      return { scheme, server: '', bucket: url.host + url.pathname, folder };
    case 'file':
      return { scheme, server: '', bucket: directoryOf(url).replace(/(?<=.)\/+$/, ''), folder };
    case 's3': {
      const { bucket, endpoint, isTls, roleArn } = parseS3Url(url);
      const server = endpoint === undefined ? `aws${isTls ? '' : ' without TLS'}` : new URL(endpoint).origin;
      const access = roleArn === undefined ? {} : { access: `as ${roleArn === '' ? 'no role' : roleArn}` };
      return { scheme, server, ...access, bucket, folder };
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
      const { host, port, database, table, sslMode } = parsePostgresUrl(url);
      const access = sslMode === 'disable' ? 'without TLS' : `with sslmode=${sslMode}`;
      const server = `${host}:${port}`;
      return { scheme: 'postgres', server, access, bucket: `${database}/${table}`, folder };
    }
    case 'sqlite': {
      const { path, table } = parseSqliteUrl(url);
      return { scheme, server: '', bucket: table === usualTable ? path : `${path}?table=${table}`, folder };
    }
  }
}

/** The buckets that hold the objects: those behind a wrapper, or the one. */
export function placesOf(place: BucketPlace): readonly BucketPlace[] {
  return place.parts ?? [place];
}

/** Names a bucket without secrets, the same in every process. */
export function placeName({ scheme, server, bucket, folder }: BucketPlace): string {
  const at = server === '' || server === 'aws' || server === 'google' ? '' : ` at ${server}`;
  return `${scheme}://${bucket}${folder === '' ? '' : `?prefix=${folder}`}${at}`;
}

/** The URLs behind a wrapper, or the one. */
export function bucketUrlsOf(text: string): readonly string[] {
  return readWrapperUrl(text)?.urls ?? [text.trim()];
}

/** Whether objects lie on a disk of this machine. */
export function isBucketOnDisk(text: string): boolean {
  return bucketUrlsOf(text).some((url) => url.startsWith('file:'));
}

/**
 * Whether all objects of a bucket are inside another, which may name a folder. Those of a wrapper are in its buckets:
 * each has to be inside, and inside of a wrapper is what is inside one of its buckets.
 */
export function isWithinBucket(inner: BucketPlace, outer: BucketPlace): boolean {
  if (inner.parts !== undefined) return inner.parts.every((part) => isWithinBucket(part, outer));
  if (outer.parts !== undefined) return outer.parts.some((part) => isWithinBucket(inner, part));
  if (inner.scheme !== outer.scheme || inner.server !== outer.server) return false;
  const isBelow = (path: string, top: string) => top === '' || path === top || path.startsWith(`${top}/`);
  if (inner.scheme === 'file' && outer.folder === '')
    return isBelow(inner.bucket, outer.bucket === '/' ? '' : outer.bucket);
  return inner.bucket === outer.bucket && isBelow(inner.folder, outer.folder);
}

/** Parses the URL of a wrapper; `undefined` for that of one bucket. */
export function readWrapperUrl(
  text: string,
): { readonly scheme: WrapperScheme; readonly urls: readonly string[] } | undefined {
  const trimmed = text.trim();
  const scheme = wrapperSchemes.find((known) => trimmed.startsWith(`${known}://`));
  if (scheme === undefined) return undefined;
  const urls = trimmed
    .slice(`${scheme}://`.length)
    .split(separator)
    .map((url) => url.trim());
  if (urls.length < 2 || urls.length > storageLimits.subBucketsMax) {
    const problem = `2 to ${storageLimits.subBucketsMax} buckets separated by ${separator} are needed`;
    throw new StoreError('invalid', `${scheme}://`, problem);
  }
  // The separator does not show whose buckets they are.
  if (urls.some((url) => wrapperSchemes.some((known) => url.startsWith(`${known}:`))))
    throw new StoreError('invalid', `${scheme}://`, 'a wrapper may not hold another wrapper');
  return { scheme, urls };
}

/** The places of the buckets of a wrapper: no object may be in two of them. */
function partPlaces(scheme: WrapperScheme, urls: readonly string[]): readonly BucketPlace[] {
  const places = urls.map(bucketPlace);
  for (const [index, place] of places.entries()) {
    const other = places.findIndex((one, at) => at !== index && isWithinBucket(place, one));
    if (other >= 0)
      throw new StoreError('invalid', `${scheme}://`, `bucket ${index + 1} is inside bucket ${other + 1}`);
  }
  return places;
}

export function readBucketUrl(text: string) {
  const named = /^([a-z_][a-z\d_]*):\/\//.exec(text)?.[1] ?? '';
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
  // The drivers of the other schemes know their own parameters.
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'prefix');
  if ((scheme === 'file' || scheme === 'mem') && unknown !== undefined) {
    const problem = `unknown parameter ${JSON.stringify(unknown)}; use prefix`;
    throw new StoreError('invalid', `${scheme}://`, problem);
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
