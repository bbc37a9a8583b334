import { readCredentialRecord } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { Records } from '../kv/key-value-store.ts';
import { decidePutEntries, type EntryChange } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';

/**
 * When credentials were used last, to about a day: each is a record under its username, written once a day at most however often somebody
 * logs in. It is a record of its own, so that agents, which follow credentials, need not be told of it.
 */

export interface CredentialUse {
  readonly username: string;
  readonly usedMs: number;
}

/** What a leader has heard of logins since it last wrote them down. */
export interface HeardLogins {
  readonly uses: readonly CredentialUse[];
  /** Since when no login can have been missed; `null` while nobody can say. */
  readonly heardSinceMs: number | null;
}

/** A use is written down when it is so much later than the one that is. */
export const useIntervalMs = 86_400_000;

/** Since when logins are heard stands under this key, which is no username. */
const heardSinceKey = '';

/** Decides what is worth writing down; changes nothing. */
export function decideNoteLogins(
  state: ClusterState,
  limits: MachineLimits,
  { uses, heardSinceMs }: HeardLogins,
): { readonly changed: readonly EntryChange[]; readonly problem: string | undefined } {
  const { records } = state;
  if (records.of('credential').size === 0) return { changed: [], problem: undefined };
  const changes: EntryChange[] = [
    { namespace: 'credentialUse', key: heardSinceKey, value: writeTime(heardSinceMs) },
  ];
  for (const { username, usedMs } of uses) {
    const stored = records.get('credential', username);
    // Others who log in have no credential, and who used one that is gone has not used the new one of the same name.
    if (stored === undefined || usedMs < readCredentialRecord(stored).createdMs) continue;
    const before = lastUseOf(records, username);
    if (before !== undefined && usedMs - before < useIntervalMs) continue;
    changes.push({ namespace: 'credentialUse', key: username, value: writeTime(usedMs) });
  }
  return decidePutEntries(state, limits, changes);
}

/** As far as it is written down. */
export function lastUseOf(records: Pick<Records, 'get'>, username: string): number | undefined {
  const value = records.get('credentialUse', username);
  return value === undefined ? undefined : (readTime(value) ?? undefined);
}

/** Since when no login can have been missed, by the leaders before; `undefined` when they could not say or there was none. */
export function loginsHeardSince(records: Pick<Records, 'get'>): number | undefined {
  return lastUseOf(records, heardSinceKey);
}

function readTime(value: Buffer): number | null {
  const [timeMs] = JSON.parse(String(value)) as [timeMs: number | null];
  return timeMs;
}

/** A list, so that a later release can say more. */
function writeTime(timeMs: number | null): Buffer {
  return Buffer.from(JSON.stringify([timeMs]));
}
