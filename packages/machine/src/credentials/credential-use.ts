import { readCredentialRecord } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { KeyValueStore } from '../kv/key-value-store.ts';
import { decidePutEntries, type EntryChange } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { endedTokens } from './delegation-tokens.ts';
import { endedPasswords } from './rotate-password.ts';

/**
 * When credentials were last used, accurate to about a day: one key-value entry per username, written at most once a
 * day, however often the user logs in. It is a separate entry, because agents follow credentials and do not need their
 * last use.
 */

export interface CredentialUse {
  readonly username: string;
  readonly usedMs: number;
  /** The last use of the password that a rotation replaced. */
  readonly oldPasswordUsedMs?: number | undefined;
}

/** Logins that a leader has received since it last stored them. */
export interface SeenLogins {
  readonly uses: readonly CredentialUse[];
  /** Since when every login has been reported; `null` while that is unknown. */
  readonly receivedSinceMs: number | null;
}

/** A use is stored if it is at least this much later than the stored one. */
export const useIntervalMs = 86_400_000;

/** The same for the old password of a rotation: whether it is still in use decides when the rotation ends. */
const oldPasswordUseIntervalMs = 3_600_000;

/** Key of the time since when logins are reported; it is not a valid username. */
const seenSinceKey = '';

/** Decides what to store, without applying it. It also removes old passwords and tokens whose time is over. */
export function decideNoteLogins(
  state: ClusterState,
  limits: MachineLimits,
  { uses, receivedSinceMs }: SeenLogins,
  nowMs: number,
): { readonly changed: readonly EntryChange[]; readonly problem: string | undefined } {
  const { kv } = state;
  const ended = endedTokens(kv, nowMs);
  if (kv.of('credential').size === 0) return decidePutEntries(state, limits, ended);
  const changes: EntryChange[] = [
    { namespace: 'credentialUse', key: seenSinceKey, value: writeUse({ usedMs: receivedSinceMs }) },
    ...endedPasswords(kv, nowMs),
    ...ended,
  ];
  for (const { username, usedMs, oldPasswordUsedMs } of uses) {
    const stored = kv.get('credential', username);
    // Skips users without a credential, and uses of a deleted credential with the same name.
    if (stored === undefined || usedMs < readCredentialRecord(stored).createdMs) continue;
    const before = useOf(kv, username);
    const isDue =
      isLaterBy(useIntervalMs, usedMs, before.usedMs) ||
      isLaterBy(oldPasswordUseIntervalMs, oldPasswordUsedMs, before.oldPasswordUsedMs);
    if (!isDue) continue;
    const use: StoredUse = {
      usedMs: Math.max(usedMs, before.usedMs ?? 0),
      oldPasswordUsedMs: Math.max(oldPasswordUsedMs ?? 0, before.oldPasswordUsedMs ?? 0),
    };
    changes.push({ namespace: 'credentialUse', key: username, value: writeUse(use) });
  }
  return decidePutEntries(state, limits, changes);
}

function isLaterBy(
  intervalMs: number,
  usedMs: number | undefined,
  beforeMs: number | null | undefined,
): boolean {
  if (usedMs === undefined) return false;
  return beforeMs === undefined || beforeMs === null || usedMs - beforeMs >= intervalMs;
}

/** Returns the stored last use. */
export function lastUseOf(kv: Pick<KeyValueStore, 'get'>, username: string): number | undefined {
  return useOf(kv, username).usedMs ?? undefined;
}

/** Returns the stored last use of the password that the latest rotation replaced, or one before it. */
export function lastOldPasswordUseOf(kv: Pick<KeyValueStore, 'get'>, username: string): number | undefined {
  return useOf(kv, username).oldPasswordUsedMs;
}

/** Returns since when every login has been reported, according to earlier leaders; `undefined` if unknown. */
export function loginsReceivedSince(kv: Pick<KeyValueStore, 'get'>): number | undefined {
  return lastUseOf(kv, seenSinceKey);
}

interface StoredUse {
  /** `null` if it is not known. */
  readonly usedMs?: number | null;
  readonly oldPasswordUsedMs?: number | undefined;
}

function useOf(kv: Pick<KeyValueStore, 'get'>, username: string): StoredUse {
  const value = kv.get('credentialUse', username);
  if (value === undefined) return {};
  const [usedMs, oldPasswordUsedMs] = JSON.parse(String(value)) as [number | null, number?];
  return { usedMs, oldPasswordUsedMs };
}

/** A list, so that a later release can add fields. */
function writeUse({ usedMs = null, oldPasswordUsedMs = 0 }: StoredUse): Buffer {
  return Buffer.from(JSON.stringify(oldPasswordUsedMs > 0 ? [usedMs, oldPasswordUsedMs] : [usedMs]));
}
