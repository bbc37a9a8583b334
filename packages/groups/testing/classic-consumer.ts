import type { NamedPartitions } from '@weir/cluster';

/** The JoinGroup metadata of a classic consumer. */
export function subscriptionBytes(
  topics: readonly string[],
  {
    version = 3,
    owned = [],
    generationId = -1,
    rackId = null,
  }: {
    readonly version?: number;
    readonly owned?: readonly NamedPartitions[];
    readonly generationId?: number;
    readonly rackId?: string | null;
  } = {},
): Buffer {
  const parts = [int16(version), int32(topics.length), ...topics.map(text), int32(-1)];
  if (version >= 1) {
    parts.push(int32(owned.length));
    for (const { topic, partitions } of owned) {
      parts.push(text(topic), int32(partitions.length), ...partitions.map(int32));
    }
  }
  if (version >= 2) parts.push(int32(generationId));
  if (version >= 3) parts.push(rackId === null ? int16(-1) : text(rackId));
  return Buffer.concat(parts);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)]);
}

/** What the members of tests have in common. */
export const classicClient = {
  groupInstanceId: null,
  clientId: 'client',
  clientHost: '/127.0.0.1',
  sessionTimeoutMs: 10_000,
  rebalanceTimeoutMs: 60_000,
};
