import {
  mayHaveOldPassword,
  oldPasswordAt,
  type PasswordDerivation,
  type PasswordRotation,
  type PasswordRotationResult,
  readCredentialRecord,
  readScramCredential,
  type StoredPassword,
  writeScramCredential,
} from '@weir/cluster';
import { coreLimits } from '@weir/core';
import type { ClusterState } from '../cluster-state.ts';
import type { KeyValueStore } from '../kv/key-value-store.ts';
import { decidePutEntries, type EntryChange } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';

/**
 * A rotation gives a credential a second password: the new one is the current password from then on, and the one before
 * is accepted until its end. Both have the same salt and iterations, because SCRAM announces them before it is known
 * which of the passwords the client has.
 */

interface Decision {
  readonly changed: readonly EntryChange[];
  readonly result: PasswordRotationResult;
}

/** Decides a rotation, without applying it. */
export function decideRotatePassword(
  state: ClusterState,
  limits: MachineLimits,
  { username, password, overlapMs }: PasswordRotation,
  nowMs: number,
): Decision {
  const credential = state.kv.get('credential', username);
  if (credential === undefined)
    return refused('RESOURCE_NOT_FOUND', `The cluster has no user "${username}".`);
  const overlapMsMax = coreLimits.passwordOverlapSecondsMax * 1000;
  if (overlapMs < 0 || overlapMs > overlapMsMax)
    return refused('INVALID_REQUEST', `An overlap has 0 to ${overlapMsMax} ms, not ${overlapMs}.`);
  const { name, isFromFile } = readCredentialRecord(credential);
  if (isFromFile === true)
    return refused(
      'INVALID_REQUEST',
      `${name} comes from -saslCredentialsFile; change its password in that file.`,
    );
  const before = passwordOf(state.kv, username);
  if (before === undefined)
    return refused('INVALID_REQUEST', `${name} has no password: it logs in with a certificate.`);
  const old = oldPasswordAt(before, nowMs);
  if (old !== undefined)
    return refused(
      'INVALID_REQUEST',
      `${name} is being rotated: its old password is valid until ${new Date(old.endsMs).toISOString()}. End that one first.`,
    );
  if (!isSameDerivation(before, password))
    return refused('INVALID_REQUEST', `The password of ${name} was changed at the same time; try again.`);
  const { storedKey, serverKey, createdMs } = before;
  const replaced = overlapMs > 0 ? { storedKey, serverKey, createdMs, endsMs: nowMs + overlapMs } : undefined;
  return put(state, limits, username, { ...password, createdMs: nowMs, old: replaced });
}

/** Decides the end of the password before the current one, without applying it. */
export function decideEndOldPassword(
  state: ClusterState,
  limits: MachineLimits,
  username: string,
  nowMs: number,
): Decision {
  const password = passwordOf(state.kv, username);
  if (password === undefined || oldPasswordAt(password, nowMs) === undefined)
    return refused('RESOURCE_NOT_FOUND', 'The credential has no old password; it may have ended.');
  return put(state, limits, username, withoutOld(password));
}

/** Returns the changes that remove passwords whose time is over. They are not accepted any more in any case. */
export function endedPasswords(kv: Pick<KeyValueStore, 'of'>, nowMs: number): EntryChange[] {
  const changes: EntryChange[] = [];
  for (const [key, stored] of kv.of('scramCredential')) {
    if (!mayHaveOldPassword(stored)) continue;
    const password = readScramCredential(stored);
    if (password.old === undefined || nowMs < password.old.endsMs) continue;
    changes.push({ namespace: 'scramCredential', key, value: writeScramCredential(withoutOld(password)) });
  }
  return changes;
}

export function passwordDerivation(
  kv: Pick<KeyValueStore, 'get'>,
  username: string,
): PasswordDerivation | null {
  const password = passwordOf(kv, username);
  return password === undefined ? null : { iterations: password.iterations, salt: password.salt };
}

function passwordOf(kv: Pick<KeyValueStore, 'get'>, username: string): StoredPassword | undefined {
  const value = kv.get('scramCredential', username);
  return value === undefined ? undefined : readScramCredential(value);
}

function withoutOld({ old: _, ...password }: StoredPassword): StoredPassword {
  return password;
}

function isSameDerivation(a: PasswordDerivation, b: PasswordDerivation): boolean {
  return a.iterations === b.iterations && Buffer.from(a.salt).equals(b.salt);
}

function put(state: ClusterState, limits: MachineLimits, key: string, password: StoredPassword): Decision {
  const value = writeScramCredential(password);
  const { changed, problem } = decidePutEntries(state, limits, [
    { namespace: 'scramCredential', key, value },
  ]);
  if (problem !== undefined) return refused('POLICY_VIOLATION', problem);
  return { changed, result: { error: 'NONE', message: null, oldEndsMs: password.old?.endsMs ?? null } };
}

function refused(error: PasswordRotationResult['error'], message: string): Decision {
  return { changed: [], result: { error, message, oldEndsMs: null } };
}
