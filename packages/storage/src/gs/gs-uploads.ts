import type { Clock, Random } from '@weir/core';
import { inTurns } from '../store/in-turns.ts';
import type { CallOptions, IncompleteUploads, ObjectUpload } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { escapeQuery } from '../store-http/escape.ts';
import { ComposedUpload } from './composed-upload.ts';
import type { GsClient } from './gs-client.ts';
import { checkGsKey, foldersOf, partFolderDepth, partFolderIn, partFolderOf } from './part-folders.ts';

interface GsUploadsOptions {
  readonly client: GsClient;
  readonly clock: Clock;
  readonly random: Random;
  /** The folder of the URL, without a slash at its end. */
  readonly folder: string;
}

type Signal = AbortSignal | undefined;
type Uploads = Awaited<ReturnType<IncompleteUploads['list']>>['uploads'];

const deletionsInFlightMax = 16;

/** Metadata of parts: the key that they will have, escaped. */
const keyField = 'weir-key';
/** Metadata of an object: the upload that it is from. */
const uploadField = 'weir-upload';

/**
 * Uploads in parts. Google's own sessions take parts one after the other; these are objects of their own until they are
 * joined. Each of them names the key in its metadata, so that none is left without an owner.
 */
export class GsUploads implements IncompleteUploads {
  readonly #options: GsUploadsOptions;
  /** Empty, or with a slash at its end. */
  readonly #top: string;

  constructor(options: GsUploadsOptions) {
    this.#options = options;
    this.#top = options.folder === '' ? '' : `${options.folder}/`;
  }

  async begin(key: string, signal: Signal): Promise<ObjectUpload> {
    const { client, clock, random } = this.#options;
    checkGsKey(key);
    const digits = Array.from({ length: 4 }, () => random.below(0x1_0000).toString(16).padStart(4, '0')).join(
      '',
    );
    const uploadId = `${clock.nowMs().toString(36)}-${digits}`;
    const folder = this.#folderOf(key, uploadId);
    const ofKey = { [keyField]: escapeQuery(key) };
    const insertPart = async (name: string, content: readonly Uint8Array[], signal: Signal) => {
      await client.insert({ key: name, content, metadata: ofKey }, signal);
    };
    // Sorts before the parts, so that its time is that of the upload.
    await insertPart(`${folder}begun`, [], signal);
    return new ComposedUpload({
      key,
      folder,
      insertPart,
      joinParts: (name, sources, signal) => client.compose(name, sources, ofKey, signal),
      joinObject: (sources, signal) => client.compose(key, sources, { [uploadField]: uploadId }, signal),
      isJoined: async (signal) => (await client.head(key, signal))?.metadata?.[uploadField] === uploadId,
      removeParts: (signal) => this.#remove(folder, signal),
    });
  }

  /** All on one page: they are few. */
  async list(prefix: string, { signal }: CallOptions = {}): Promise<{ readonly uploads: Uploads }> {
    const uploads: Uploads[number][] = [];
    for await (const partFolder of this.#partFolders(foldersOf(this.#top, prefix), signal)) {
      for await (const upload of this.#uploadsIn(partFolder, signal)) {
        if (upload.key.startsWith(prefix)) uploads.push(upload);
      }
    }
    return { uploads };
  }

  async abort(
    { key, uploadId }: Pick<Uploads[number], 'key' | 'uploadId'>,
    { signal }: CallOptions = {},
  ): Promise<void> {
    checkGsKey(key);
    signal?.throwIfAborted();
    await this.#remove(this.#folderOf(key, uploadId), signal);
  }

  #folderOf(key: string, uploadId: string): string {
    // Without it, all uploads would be removed.
    if (!/^[\w-]+$/.test(uploadId)) throw new StoreError('invalid', key, 'upload not found');
    return `${partFolderOf(this.#top, key)}${uploadId}/`;
  }

  /** The folders that may have parts of keys in these folders. */
  async *#partFolders(folders: readonly string[], signal: Signal): AsyncGenerator<string> {
    yield partFolderIn(this.#top, folders.slice(0, partFolderDepth));
    if (folders.length >= partFolderDepth) return;
    const prefix = [this.#top, ...folders.map((name) => `${name}/`)].join('');
    for await (const { prefixes = [] } of this.#options.client.list(
      { prefix, delimiter: '/' },
      'name',
      signal,
    )) {
      for (const below of prefixes) {
        const name = below.slice(prefix.length, -1);
        if (below !== partFolderIn(this.#top, folders)) yield* this.#partFolders([...folders, name], signal);
      }
    }
  }

  /** Reads one object of each upload, and passes over its parts. */
  async *#uploadsIn(partFolder: string, signal: Signal): AsyncGenerator<Uploads[number]> {
    const fields = 'name,timeCreated,metadata';
    let startOffset: string | undefined = partFolder;
    while (startOffset !== undefined) {
      const query = { prefix: partFolder, startOffset };
      startOffset = undefined;
      let lastId: string | undefined;
      for await (const { items = [], nextPageToken } of this.#options.client.list(query, fields, signal)) {
        for (const { name, timeCreated, metadata } of items) {
          const uploadId = name.slice(partFolder.length).split('/', 1)[0]!;
          const key = keyIn(metadata);
          if (uploadId === lastId || key === undefined) continue;
          lastId = uploadId;
          // Without a time it is not old.
          const begunMs = Date.parse(timeCreated ?? '') || Number.MAX_SAFE_INTEGER;
          yield { key, uploadId, begunMs };
        }
        if (lastId !== undefined && nextPageToken) {
          // `0` comes after the slash behind the id.
          startOffset = `${partFolder}${lastId}0`;
          break;
        }
      }
    }
  }

  /** The object that shows the upload is removed last: until then its other parts are found. */
  async #remove(folder: string, signal: Signal): Promise<void> {
    const { client } = this.#options;
    const begun = `${folder}begun`;
    for await (const { items = [] } of client.list({ prefix: folder }, 'name', signal)) {
      const names = items.map(({ name }) => name).filter((name) => name !== begun);
      await inTurns(names, deletionsInFlightMax, (name) => client.delete(name, signal));
    }
    await client.delete(begun, signal);
  }
}

/** `undefined` for an object that no upload put there. */
function keyIn(metadata: Readonly<Record<string, string>> | undefined): string | undefined {
  try {
    const escaped = metadata?.[keyField];
    return escaped === undefined ? undefined : decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}
