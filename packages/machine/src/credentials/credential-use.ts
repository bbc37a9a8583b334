import { readCredentialRecord } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { KeyValueStore } from '../kv/key-value-store.ts';
import { decidePutEntries, type EntryChange } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';

/**
 * When credentials were last used, accurate to about a day: one key-value entry per username, written at most once a
 * day, however often the user logs in. It is a separate entry, because agents follow credentials and do not need their
 * last use.
 */

export interface CredentialUse {
  readonly username: string;
  readonly usedMs: number;
}

/** Logins that a leader has received since it last stored them. */
export interface SeenLogins {
  readonly uses: readonly CredentialUse[];
  /** Since when every login has been reported; `null` while that is unknown. */
  readonly receivedSinceMs: number | null;
}

/** A use is stored if it is at least this much later than the stored one. */
export const useIntervalMs = 86_400_000;

/** Key of the time since when logins are reported; it is not a valid username. */
const seenSinceKey = '';

/** Decides what to store, without applying it. */
export function decideNoteLogins(
  state: ClusterState,
  limits: MachineLimits,
  { uses, receivedSinceMs }: SeenLogins,
): { readonly changed: readonly EntryChange[]; readonly problem: string | undefined } {
  const { kv } = state;
  if (kv.of('credential').size === 0) return { changed: [], problem: undefined };
  const changes: EntryChange[] = [
    { namespace: 'credentialUse', key: seenSinceKey, value: writeTime(receivedSinceMs) },
  ];
  for (const { username, usedMs } of uses) {
    const stored = kv.get('credential', username);
    // Skips users without a credential, and uses of a deleted credential with the same name.
    if (stored === undefined || usedMs < readCredentialRecord(stored).createdMs) continue;
    const before = lastUseOf(kv, username);
    if (before !== undefined && usedMs - before < useIntervalMs) continue;
    changes.push({ namespace: 'credentialUse', key: username, value: writeTime(usedMs) });
  }
  return decidePutEntries(state, limits, changes);
}

/** Returns the stored last use. */
export function lastUseOf(kv: Pick<KeyValueStore, 'get'>, username: string): number | undefined {
  const value = kv.get('credentialUse', username);
  return value === undefined ? undefined : (readTime(value) ?? undefined);
}

/** Returns since when every login has been reported, according to earlier leaders; `undefined` if unknown. */
export function loginsReceivedSince(kv: Pick<KeyValueStore, 'get'>): number | undefined {
  return lastUseOf(kv, seenSinceKey);
}

function readTime(value: Buffer): number | null {
  const [timeMs] = JSON.parse(String(value)) as [timeMs: number | null];
  return timeMs;
}

/** A list, so that a later release can add fields. */
function writeTime(timeMs: number | null): Buffer {
  return Buffer.from(JSON.stringify([timeMs]));
}
