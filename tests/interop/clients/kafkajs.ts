import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { apiByKey } from '@weir/wire';
import type { RequestHeader } from './check-request.ts';
import type { ClientVersion } from './not-comparable.ts';

/**
 * The internals of kafkajs, typed as far as the tests need them. kafkajs has encoders for requests and decoders for
 * responses only, so nothing else can be compared; record batches it has in both directions.
 */
const require = createRequire(import.meta.url);

interface Encoder {
  readonly buffer: Buffer;
}

interface Protocol {
  readonly request: object;
  readonly response: { decode(payload: Buffer): Promise<unknown> };
}

interface RequestDefinitions {
  readonly versions: readonly string[];
  protocol(choice: { readonly version: string }): (options: object) => Protocol;
}

const { requests } = require('kafkajs/src/protocol/requests') as {
  readonly requests: Readonly<Record<string, RequestDefinitions>>;
};
const apiKeys = require('kafkajs/src/protocol/requests/apiKeys') as Readonly<Record<string, number>>;
const frameRequest = require('kafkajs/src/protocol/request') as (
  options: RequestHeader & { readonly request: object },
) => Promise<Encoder>;

const { errorCodes } = require('kafkajs/src/protocol/error') as {
  readonly errorCodes: readonly { readonly code: number }[];
};

export const kafkajsErrorCodes: readonly number[] = errorCodes.map(({ code }) => code);

interface KafkajsVersion extends ClientVersion {
  /** The whole frame, length prefix included. */
  encodeRequest(header: RequestHeader, options: object): Promise<Buffer>;
  /** Takes the bytes after the correlation id. An error code is not a failure; kafkajs checks those in a later step. */
  decodeResponse(afterCorrelationId: Buffer): Promise<unknown>;
}

/**
 * All versions that kafkajs implements. Its table also names APIs that it does not implement; those have no versions.
 */
export const kafkajsVersions: readonly KafkajsVersion[] = Object.entries(requests).flatMap(
  ([clientName, definitions]) =>
    definitions.versions.map((version) => {
      const key = apiKeys[clientName];
      if (key === undefined) throw new Error(`kafkajs has versions of ${clientName} but no key`);
      const protocol = definitions.protocol({ version });
      return {
        name: apiByKey(key)?.name ?? clientName,
        key,
        version: Number(version),
        encodeRequest: async (header: RequestHeader, options: object) =>
          (await frameRequest({ ...header, request: protocol(options).request })).buffer,
        decodeResponse: (afterCorrelationId: Buffer) => protocol({}).response.decode(afterCorrelationId),
      };
    }),
);

const { CompressionCodecs } = require('kafkajs') as {
  readonly CompressionCodecs: Record<number, () => object>;
};

/** Adds a codec that kafkajs does not include, in the form of its own plug-ins. */
export function plugCodec(
  id: number,
  compress: (bytes: Buffer) => Buffer,
  decompress: (bytes: Buffer) => Buffer,
): void {
  CompressionCodecs[id] = () => ({
    compress: async ({ buffer }: Encoder) => compress(buffer),
    decompress: async (bytes: Buffer) => decompress(bytes),
  });
}

/** Returns every version that has a folder in the package, such as `fetch/v11`. */
export function kafkajsFolders(): readonly string[] {
  const folder = dirname(require.resolve('kafkajs/src/protocol/requests'));
  return globSync('*/v*/', { cwd: folder });
}
