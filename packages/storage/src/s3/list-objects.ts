import { storageLimits } from '../limits.ts';
import { compareKeys } from '../store/key.ts';
import type { ListOptions, ObjectInfo } from '../store/object-store.ts';
import { isSuccess } from '../store-http/response-reader.ts';
import { elementsOf, textOf } from '../store-http/xml.ts';
import { s3Error } from './s3-errors.ts';
import type { S3Requests } from './s3-requests.ts';

interface ObjectPage {
  readonly objects: readonly ObjectInfo[];
  /** Folders, with their slash, if a delimiter was given. */
  readonly folders: readonly string[];
  /** Where the next page begins; absent after the last. */
  readonly next: string | undefined;
}

/** Objects in the order of their keys. */
export function listObjects(
  requests: S3Requests,
  prefix: string,
  options: ListOptions,
): AsyncGenerator<readonly ObjectInfo[]> {
  return requests.location.zoneId === undefined
    ? listBucket(requests, prefix, options)
    : listDirectories(
        {
          pageOf: (folder, next, signal) =>
            pageOf(requests, { prefix: folder, delimiter: '/', 'continuation-token': next }, signal),
          entriesMax: storageLimits.directoryEntriesMax,
        },
        prefix,
        options,
      );
}

async function* listBucket(
  requests: S3Requests,
  prefix: string,
  { startAfter, signal }: ListOptions,
): AsyncGenerator<readonly ObjectInfo[]> {
  let next: string | undefined;
  do {
    const query = { prefix, 'start-after': startAfter, 'continuation-token': next };
    const page = await pageOf(requests, query, signal);
    if (page.objects.length > 0) yield page.objects;
    next = page.next;
  } while (next !== undefined);
}

async function pageOf(
  requests: S3Requests,
  query: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal | undefined,
): Promise<ObjectPage> {
  const prefix = query.prefix ?? '';
  const response = await requests.bucket(prefix, 'GET', signal, {
    query: { 'list-type': '2', ...query, prefix: prefix === '' ? undefined : prefix },
    bodyBytesMax: storageLimits.storeListBodyBytesMax,
  });
  if (!isSuccess(response)) throw s3Error(prefix, response);
  const xml = response.body.toString('utf8');
  const token = textOf(xml, 'NextContinuationToken');
  return {
    objects: Array.from(elementsOf(xml, 'Contents'), (entry) => ({
      key: textOf(entry, 'Key'),
      bytes: Number(textOf(entry, 'Size')) || 0,
      modifiedMs: Date.parse(textOf(entry, 'LastModified')) || 0,
    })),
    folders: Array.from(elementsOf(xml, 'CommonPrefixes'), (entry) => textOf(entry, 'Prefix')),
    next: textOf(xml, 'IsTruncated') === 'true' && token !== '' ? token : undefined,
  };
}

/** Objects of a page of a sorted folder. */
const pageObjects = 1000;

export interface Directories {
  /** A page of a folder, whose entries have no order. The folder has its slash; it is empty for the bucket. */
  readonly pageOf: (
    folder: string,
    next: string | undefined,
    signal: AbortSignal | undefined,
  ) => Promise<ObjectPage>;
  /** Entries of a folder that are sorted in memory. A larger folder is listed several times. */
  readonly entriesMax: number;
}

/** An object, or a folder, which has no `info`. */
interface Entry {
  readonly name: string;
  readonly info?: ObjectInfo;
}

/**
 * Lists a directory bucket in the order of keys. S3 Express returns objects in no order, knows no `start-after`, and
 * takes only prefixes that end with a slash. So folders are read one by one, sorted, and entered in their order: all
 * keys below a folder compare with its neighbours as its name with the slash does.
 */
export async function* listDirectories(
  directories: Directories,
  prefix: string,
  options: ListOptions,
): AsyncGenerator<readonly ObjectInfo[]> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  yield* listFolder(directories, folder, prefix, options);
}

async function* listFolder(
  directories: Directories,
  folder: string,
  prefix: string,
  options: ListOptions,
): AsyncGenerator<readonly ObjectInfo[]> {
  const { startAfter = '', signal } = options;
  // A folder that begins with the key may have keys behind it.
  let isWanted = ({ name, info }: Entry) =>
    name.startsWith(prefix) &&
    (compareKeys(name, startAfter) > 0 || (info === undefined && startAfter.startsWith(name)));
  for (;;) {
    const { entries, isWhole } = await smallestEntries(directories, folder, isWanted, signal);
    let objects: ObjectInfo[] = [];
    for (const { name, info } of entries) {
      if (info !== undefined) {
        objects.push(info);
        if (objects.length < pageObjects) continue;
      }
      if (objects.length > 0) yield objects;
      objects = [];
      if (info === undefined) yield* listFolder(directories, name, name, options);
    }
    if (objects.length > 0) yield objects;
    if (isWhole) return;
    const last = entries.at(-1)!.name;
    isWanted = ({ name }) => name.startsWith(prefix) && compareKeys(name, last) > 0;
  }
}

/** The smallest wanted entries of a folder, in order, and whether they are all. */
async function smallestEntries(
  { pageOf, entriesMax }: Directories,
  folder: string,
  isWanted: (entry: Entry) => boolean,
  signal: AbortSignal | undefined,
): Promise<{ readonly entries: readonly Entry[]; readonly isWhole: boolean }> {
  const entries: Entry[] = [];
  let isWhole = true;
  const sort = () => {
    entries.sort((a, b) => compareKeys(a.name, b.name));
    if (entries.length <= entriesMax) return;
    isWhole = false;
    entries.length = entriesMax;
  };
  let next: string | undefined;
  do {
    const page = await pageOf(folder, next, signal);
    for (const info of page.objects) {
      const entry = { name: info.key, info };
      if (isWanted(entry)) entries.push(entry);
    }
    for (const name of page.folders) {
      const entry = { name };
      if (isWanted(entry)) entries.push(entry);
    }
    if (entries.length >= 2 * entriesMax) sort();
    next = page.next;
  } while (next !== undefined);
  sort();
  return { entries, isWhole };
}
