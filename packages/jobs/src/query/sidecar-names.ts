import { clusterPrefix } from '@weir/storage';
import type { SidecarRef } from './engine.ts';

/** A sidecar in the bucket. Its id is its key. */
export type StoredSidecar = SidecarRef;

/** Must be raised when the format of sidecars changes, so that no agent reads another format. */
const format = 'v1';

/** Wide enough that offsets sort as text. */
const offsetDigits = 16;

/** Topic ids are base64url, as Kafka writes them. */
const idPattern = /^[\w-]+$/;

interface SidecarName {
  readonly fromOffset: number;
  readonly toOffset: number;
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
}

/** Prefix of the sidecars of a cluster, apart from its log files. */
export function sidecarsPrefix(clusterId: string): string {
  return `${clusterPrefix(clusterId)}event-sidecars/${format}/`;
}

export function sidecarPrefix(clusterId: string, topicId: string): string {
  if (!idPattern.test(topicId)) throw new RangeError(`${JSON.stringify(topicId)} is not a topic id`);
  return `${sidecarsPrefix(clusterId)}${topicId}/`;
}

/** The name contains the range of events, so a listing of names is all the metadata that is needed. */
export function sidecarKey(
  clusterId: string,
  topicId: string,
  { fromOffset, toOffset, minTimeMs, maxTimeMs }: SidecarName,
): string {
  const offsets = [fromOffset, toOffset].map((offset) => String(offset).padStart(offsetDigits, '0'));
  return `${sidecarPrefix(clusterId, topicId)}${offsets.join('-')}.${minTimeMs}-${maxTimeMs}`;
}

const name = new RegExp(
  `/(?<topicId>[\\w-]+)/(?<from>\\d{${offsetDigits}})-(?<to>\\d{${offsetDigits}})\\.(?<min>\\d+)-(?<max>\\d+)$`,
);

/** Returns `undefined` for a key that is not a sidecar. */
export function readSidecarKey(key: string): (SidecarName & { readonly topicId: string }) | undefined {
  const parts = name.exec(key)?.groups;
  if (parts === undefined) return undefined;
  const [fromOffset, toOffset, minTimeMs, maxTimeMs] = [parts.from, parts.to, parts.min, parts.max].map(
    Number,
  );
  return {
    topicId: parts.topicId!,
    fromOffset: fromOffset!,
    toOffset: toOffset!,
    minTimeMs: minTimeMs!,
    maxTimeMs: maxTimeMs!,
  };
}
