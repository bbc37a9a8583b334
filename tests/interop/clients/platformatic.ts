import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { protocolAPIsById, Reader, ResponseError, Writer } from '@platformatic/kafka';
import { apiByKey } from '@weir/wire';
import type { RequestHeader } from './check-request.ts';
import type { ClientVersion } from './not-comparable.ts';

/**
 * The internals of @platformatic/kafka, typed as far as the tests need them. It has writers for requests and readers
 * for responses only; record batches it has in both directions.
 */
interface PlatformaticVersion extends ClientVersion {
  /** The whole frame, length prefix included. */
  encodeRequest(header: RequestHeader, options: readonly unknown[]): Promise<Buffer>;
  /** Takes the bytes after the correlation id. */
  decodeResponse(afterCorrelationId: Buffer): { readonly response: unknown; readonly unreadBytes: number };
}

/** An API of the client is a module with a send function. */
interface ApiModule {
  readonly api: {
    (connection: { readonly send: (...sent: Sent) => void }, ...options: readonly unknown[]): void;
    readonly key: number;
    readonly version: number;
  };
}

/** The arguments that an API passes to its connection. */
type Sent = [
  key: number,
  version: number,
  createRequest: () => Writer | Promise<Writer>,
  parseResponse: (correlationId: number, key: number, version: number, reader: Reader) => unknown,
  requestHasTags: boolean,
  responseHasTags: boolean,
];

export function isApiModule(value: unknown): value is ApiModule {
  return (
    typeof value === 'object' &&
    value !== null &&
    'api' in value &&
    typeof value.api === 'function' &&
    'key' in value.api &&
    'version' in value.api
  );
}

/** Each version has a file in the package. The index of the package is not used, because it lacks one of them. */
const entry = import.meta.resolve('@platformatic/kafka');
const apiModules: readonly ApiModule[] = await Promise.all(
  globSync('apis/*/*-v*.js', { cwd: fileURLToPath(new URL('.', entry)) })
    .toSorted()
    .map(async (path) => {
      const module: unknown = await import(new URL(path, entry).href);
      if (!isApiModule(module)) throw new Error(`${path} is not an API`);
      return module;
    }),
);

export const platformaticVersions: readonly PlatformaticVersion[] = apiModules.map(({ api }) => {
  const { key, version } = api;
  const [, , , parseResponse, requestHasTags, responseHasTags] = send(api);
  return {
    name: apiByKey(key)?.name ?? protocolAPIsById[key] ?? 'unknown',
    key,
    version,
    encodeRequest: async (header, options) => {
      const [, , createRequest] = send(api, ...options);
      // Repeats the steps of the client's connection, which needs a socket.
      const writer = Writer.create()
        .appendInt16(key)
        .appendInt16(version)
        .appendInt32(header.correlationId)
        .appendString(header.clientId, false);
      if (requestHasTags) writer.appendTaggedFields();
      return writer.appendFrom(await createRequest()).prependLength().buffer;
    },
    decodeResponse: (afterCorrelationId) => {
      // The client's connection assumes that a header has no tags, and skips one byte for them.
      const reader = Reader.from(afterCorrelationId.subarray(responseHasTags ? 1 : 0));
      const response = evenWithErrors(() => parseResponse(0, key, version, reader));
      return { response, unreadBytes: reader.remaining };
    },
  };
});

/** Calls the API with a connection that only captures the request. */
function send(api: ApiModule['api'], ...options: readonly unknown[]): Sent {
  let captured: Sent | undefined;
  api(
    {
      send: (...sent) => {
        captured = sent;
      },
    },
    ...options,
  );
  if (captured === undefined) throw new Error('the client sent nothing');
  return captured;
}

/**
 * Returns the response also when the client throws because of an error code, which it does after it has read
 * everything.
 */
function evenWithErrors(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ResponseError) return error.response;
    throw error;
  }
}
