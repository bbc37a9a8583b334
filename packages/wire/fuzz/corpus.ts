import fc from 'fast-check';
import { encodeMessage } from '../src/codec/codec.ts';
import { type CompressionCodec, codecIds } from '../src/compression/index.ts';
import { encodeRequest } from '../src/envelope.ts';
import { responseHeader, responseHeaderVersion } from '../src/messages/headers.ts';
import { apis } from '../src/messages/index.ts';
import { buildEndTransactionMarker, buildRecordBatch } from '../src/records/index.ts';
import type { Api, Message } from '../src/schema/message.ts';
import { arbitraryMessage } from '../testing/arbitrary-message.ts';

/** Valid bytes from which mutation starts, and their type. */
export type Sample =
  | { readonly kind: 'request'; readonly bytes: Buffer }
  | { readonly kind: 'response'; readonly bytes: Buffer; readonly api: Api; readonly version: number }
  | { readonly kind: 'records'; readonly bytes: Buffer };

const samplesPerVersion = 3;

/** Frames of every API in every version and both directions. */
export function messageSamples(seed: number): Sample[] {
  const samples: Sample[] = [];
  for (const api of Object.values(apis) as Api[]) {
    for (let version = api.versions.lowest; version <= api.versions.highest; version++) {
      for (const body of sampleOf(api.request, version, seed)) {
        const frame = Buffer.concat(
          encodeRequest(api, version, { correlationId: 7, clientId: 'fuzz' }, body as never),
        );
        samples.push({ kind: 'request', bytes: frame.subarray(4) });
      }
      for (const body of sampleOf(api.response, version, seed)) {
        const header = encodeMessage(responseHeader, responseHeaderVersion(api, version), {
          correlationId: 7,
        });
        const bytes = Buffer.concat([...header, ...encodeMessage(api.response, version, body as never)]);
        samples.push({ kind: 'response', bytes, api, version });
      }
    }
  }
  return samples;
}

function sampleOf(message: Message, version: number, seed: number): unknown[] {
  return fc.sample(arbitraryMessage(message, version), { seed, numRuns: samplesPerVersion });
}

/** Batches of every codec, small and large, and a control batch. */
export function recordSamples(): Sample[] {
  const samples: Sample[] = [];
  for (const codec of Object.keys(codecIds) as CompressionCodec[]) {
    for (const count of [1, 3, 200]) {
      const records = Array.from({ length: count }, (_, index) => ({
        timestamp: 1_700_000_000_000n + BigInt(index),
        key: index % 3 === 0 ? null : Buffer.from(`key-${index}`),
        value: index % 5 === 0 ? null : Buffer.from(`value ${index} `.repeat(4)),
        headers: index % 2 === 0 ? [] : [{ key: 'trace', value: Buffer.from([index]) }],
      }));
      samples.push({ kind: 'records', bytes: buildRecordBatch(records, { codec }) });
    }
  }
  const marker = buildEndTransactionMarker({
    baseOffset: 0n,
    timestamp: 1n,
    producerId: 9n,
    producerEpoch: 1,
    result: 'commit',
    coordinatorEpoch: 3,
  });
  samples.push({ kind: 'records', bytes: marker });
  return samples;
}
