import type {
  ClusterChange,
  RegistryChangeRequest,
  RegistryChangeResult,
  RegistryEntryChange,
} from '@weir/cluster';
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { entryBytes } from './registry.ts';

/** What `registryChanged` contains. */
interface RegistryAlteration {
  readonly changed: readonly RegistryEntryChange[];
  /** How many of the oldest removals are forgotten, before the changes. */
  readonly forgottenRemovals: number;
}

/** Decides whether all changes are possible and which of them have an effect, without applying them. */
export function decideChangeRegistry(
  { registry }: ClusterState,
  limits: MachineLimits,
  { expectedRevision, changes }: RegistryChangeRequest,
): { alteration: RegistryAlteration | undefined; result: RegistryChangeResult } {
  const { revision } = registry;
  const refused = (error: RegistryChangeResult['error'], message: string) => ({
    alteration: undefined,
    result: { error, message, revision },
  });
  if (expectedRevision !== revision)
    return refused('STALE', `the registry has revision ${revision}, not ${expectedRevision}: read it again`);
  if (changes.length > limits.registryChangesMax)
    return refused(
      'POLICY_VIOLATION',
      `${changes.length} changes of the registry at once; at most ${limits.registryChangesMax}`,
    );
  // Of several changes of one key the last takes effect.
  const last = new Map(changes.map((change) => [change.key, change]));
  const changed: RegistryEntryChange[] = [];
  let changeBytes = 0;
  let addedCount = 0;
  let addedBytes = 0;
  let addedRemovals = 0;
  for (const change of last.values()) {
    const { key, value } = change;
    const keyBytes = Buffer.byteLength(key);
    if (keyBytes === 0 || keyBytes > limits.registryKeyBytesMax)
      return refused(
        'POLICY_VIOLATION',
        `a key of the registry has ${keyBytes} bytes; 1 to ${limits.registryKeyBytesMax} are allowed`,
      );
    if (value !== null && value.length > limits.registryValueBytesMax)
      return refused(
        'POLICY_VIOLATION',
        `a value of the registry has ${value.length} bytes; at most ${limits.registryValueBytesMax}`,
      );
    const before = registry.get(key)?.value;
    if (value === null ? before === undefined : isEqual(before, value)) continue;
    changeBytes += keyBytes + (value?.length ?? 0);
    addedCount += (value === null ? 0 : 1) - (before === undefined ? 0 : 1);
    addedBytes += entryBytes(key, value) - (before === undefined ? 0 : entryBytes(key, before));
    if (value === null) addedRemovals++;
    changed.push(change);
  }
  if (changeBytes > limits.registryChangeBytesMax)
    return refused(
      'POLICY_VIOLATION',
      `changes of the registry of ${changeBytes} bytes at once; at most ${limits.registryChangeBytesMax}`,
    );
  if (addedCount > 0 && registry.count + addedCount > limits.registryEntriesMax)
    return refused(
      'POLICY_VIOLATION',
      `the registry has ${registry.count} entries; at most ${limits.registryEntriesMax}: delete schemas`,
    );
  if (addedBytes > 0 && registry.bytes + addedBytes > limits.registryBytesMax)
    return refused(
      'POLICY_VIOLATION',
      `the registry takes ${registry.bytes} bytes; at most ${limits.registryBytesMax}: delete schemas`,
    );
  if (changed.length === 0)
    return { alteration: undefined, result: { error: 'NONE', message: null, revision } };
  const surplus = registry.removedCount + addedRemovals - limits.registryRemovalsMax;
  const forgottenRemovals = Math.min(Math.max(0, surplus), registry.removedCount);
  return {
    alteration: { changed, forgottenRemovals },
    result: { error: 'NONE', message: null, revision: revision + changed.length },
  };
}

function isEqual(before: Uint8Array | null | undefined, value: Uint8Array): boolean {
  return before !== undefined && before !== null && Buffer.compare(before, value) === 0;
}

export function writeRegistryChanged(writer: ByteWriter, alteration: RegistryAlteration): void {
  writer.varint(alteration.forgottenRemovals);
  writer.varint(alteration.changed.length);
  for (const { key, value } of alteration.changed) {
    writer.text(key);
    writer.varint(value === null ? 0 : value.length + 1);
    if (value !== null) writer.raw(value);
  }
}

export function applyRegistryChanged({ registry }: ClusterState, reader: ByteReader): ClusterChange[] {
  registry.forgetRemovals(reader.varint());
  for (let left = reader.varint(); left > 0; left--) {
    const key = reader.text();
    const lengthPlusOne = reader.varint();
    registry.change(key, lengthPlusOne === 0 ? null : reader.raw(lengthPlusOne - 1));
  }
  return [{ kind: 'registry', revision: registry.revision }];
}
