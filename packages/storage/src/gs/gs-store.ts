import type { Clock, Environment, Random } from '@weir/core';
import { checkKeys, checkRange } from '../store/key.ts';
import type { ObjectAttributes, ObjectInfo, ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound, StoreError } from '../store/store-error.ts';
import type { LookupFor } from '../store-http/http-client.ts';
import { deleteEach } from '../store-http/object-responses.ts';
import { Renewed } from '../store-http/renewed.ts';
import { findCredentials, givenCredentials } from './google-credentials.ts';
import { GsClient, type GsObject } from './gs-client.ts';
import { GsUploads } from './gs-uploads.ts';
import { locate } from './gs-url.ts';
import { checkGsKey, isPart } from './part-folders.ts';

interface GsStoreDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly environment: Environment;
  /** The folder of all objects, which keys include; empty for the whole bucket. */
  readonly folder: string;
  /** Whether credentials may be requested from the metadata service of the machine. Only an agent has one. */
  readonly usesMetadataService?: boolean | undefined;
  /** The text of a file of credentials, instead of those of the process. */
  readonly credentialsJson?: string | undefined;
  readonly lookupFor?: LookupFor | undefined;
  /** Whether a store that is not reached over Google's direct path must not be opened. */
  readonly requiresDirectConnectivity?: boolean | undefined;
}

/** Metadata services have a new token at this time before the current one expires. */
const renewAheadMs = 225_000;

/** A bucket of Google Cloud Storage or of an emulator, over the JSON API and our own HTTP client. */
export async function openGsStore(url: URL, deps: GsStoreDeps): Promise<ObjectStore> {
  const {
    clock,
    random,
    environment,
    folder,
    usesMetadataService = false,
    credentialsJson,
    lookupFor,
  } = deps;
  const location = locate(url, environment);
  const subject = `gs://${location.bucket}`;
  if (deps.requiresDirectConnectivity === true) {
    throw new StoreError(
      'invalid',
      subject,
      '-gcsDirectConnectivityRequired cannot hold: the direct path is for gRPC inside Google Cloud, and this release sends HTTPS requests through the front ends of Google; start without the flag',
    );
  }
  const source = location.isAnonymous
    ? undefined
    : credentialsJson === undefined
      ? await findCredentials({ subject, clock, environment, usesMetadataService, lookupFor })
      : givenCredentials(credentialsJson, { subject, clock, lookupFor });
  const tokens = source && new Renewed({ clock, subject, renew: source, renewAheadMs });
  const client = new GsClient({ location, clock, tokens, lookupFor });
  const uploads = new GsUploads({ client, clock, random, folder });

  async function head(key: string, signal: AbortSignal | undefined): Promise<ObjectInfo | undefined> {
    checkGsKey(key);
    signal?.throwIfAborted();
    const found = await client.head(key, signal);
    if (found === undefined) return undefined;
    const { contentType, contentEncoding, metadata = {} } = found;
    return { ...infoOf(found), attributes: { contentType, contentEncoding, metadata } };
  }

  return {
    async put(key, content, { signal, attributes } = {}) {
      checkGsKey(key);
      signal?.throwIfAborted();
      await client.insert({ key, content, ...keptOf(attributes) }, signal);
    },

    async putIfAbsent(key, content, { signal, attributes } = {}) {
      checkGsKey(key);
      signal?.throwIfAborted();
      return client.insert({ key, content, isConditional: true, ...keptOf(attributes) }, signal);
    },

    async beginUpload(key, { signal } = {}) {
      signal?.throwIfAborted();
      return uploads.begin(key, signal);
    },

    async getRange(key, start, end, { signal, memory } = {}) {
      checkGsKey(key);
      checkRange(key, start, end);
      signal?.throwIfAborted();
      // HTTP cannot request an empty range.
      const bytes =
        start === end
          ? (await client.head(key, signal)) && Buffer.alloc(0)
          : await client.read(key, { start, end }, { memory, signal });
      if (bytes === undefined) throw new ObjectNotFound(key);
      return bytes;
    },

    head: (key, { signal } = {}) => head(key, signal),

    async delete(key, { signal } = {}) {
      checkGsKey(key);
      signal?.throwIfAborted();
      await client.delete(key, signal);
    },

    async deleteMany(keys, { signal } = {}) {
      checkKeys(keys);
      for (const key of keys) checkGsKey(key);
      signal?.throwIfAborted();
      // Google has no request for many that is cheaper.
      return deleteEach(keys, (key) => client.delete(key, signal), signal);
    },

    async *list(prefix, { startAfter, signal } = {}) {
      const query = { prefix, startOffset: startAfter };
      for await (const { items = [] } of client.list(query, 'name,size,timeCreated', signal)) {
        // Google begins with the key itself.
        const infos = items.filter(({ name }) => name !== startAfter && !isPart(name)).map(infoOf);
        if (infos.length > 0) yield infos;
      }
    },

    incompleteUploads: uploads,

    async close() {
      client.close();
    },
  };
}

function keptOf({ contentType, contentEncoding, metadata }: ObjectAttributes = {}) {
  return { contentType, contentEncoding: contentEncoding || undefined, metadata };
}

function infoOf({ name, size = '0', timeCreated = '' }: GsObject): ObjectInfo {
  return { key: name, bytes: Number(size), modifiedMs: Date.parse(timeCreated) || 0 };
}
