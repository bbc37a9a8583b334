import { type FetchQuery, fetchBody } from '@weir/client';
import { apis, type ResponseOf } from '@weir/wire';
import type { HandlerClient } from './handler-client.ts';

type FetchApi = typeof apis.Fetch;
export type FetchedPartition = ResponseOf<FetchApi>['responses'][number]['partitions'][number];

/** The last version that names topics, as HTTP callers do. */
const fetchVersion = 12;

/** The partition with the records from an offset, as one Fetch returns it. */
export async function fetchOne(
  topic: string,
  partition: number,
  offset: number,
  client: HandlerClient,
): Promise<FetchedPartition> {
  const response = await fetch(
    {
      // A fetch returns at least one batch, whatever its limits.
      topics: [{ topic, partitions: [{ partition, offset, bytesMax: 1 }] }],
      bytesMax: 1,
      waitMs: 0,
      minBytes: 1,
      isolationLevel: 0,
    },
    client,
    0,
  );
  return response.responses[0]!.partitions[0]!;
}

export function bytesOf({ records }: FetchedPartition): Buffer {
  if (records === null || records === undefined) return Buffer.alloc(0);
  return Buffer.isBuffer(records) ? records : Buffer.concat(records as readonly Buffer[]);
}

/** Sends one Fetch. */
export function fetch(
  query: FetchQuery,
  client: HandlerClient,
  bodyBytes: number,
): Promise<ResponseOf<FetchApi>> {
  return client.call(apis.Fetch, fetchVersion, fetchBody(query), bodyBytes);
}
