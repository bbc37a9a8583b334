import {
  type CredentialDescription,
  type CredentialResult,
  type CredentialToPut,
  credentialSpellings,
  oldPasswordAt,
  readCredentialRecord,
  readScramCredential,
  writeCredentialRecord,
  writeScramCredential,
} from '@weir/cluster';
import { anonymousName } from '@weir/core';
import type { ClusterState } from '../cluster-state.ts';
import { MalformedCommand } from '../command.ts';
import type { KeyValueStore } from '../kv/key-value-store.ts';
import { decidePutEntries, type EntryChange } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { repeated } from '../topics/repeated.ts';
import { lastOldPasswordUseOf, lastUseOf } from './credential-use.ts';
import { tokensOfCredential } from './delegation-tokens.ts';
import { TakenNames } from './taken-names.ts';

/**
 * The credentials of a cluster. Each is a key-value entry under its username; its password is a separate entry under
 * the same key. Kafka's own tools change passwords, but must be able neither to create a superuser nor to set the
 * password of one.
 */

interface Decision {
  readonly changed: readonly EntryChange[];
  readonly results: CredentialResult[];
}

const done: CredentialResult = { error: 'NONE', message: null };

const idPattern = /^cci_[\w.-]{1,128}$/;
const namePattern = /^ccn_[\w.-]{1,128}$/;
const controlCharacter = /\p{Cc}/u;
const spiffe = /^spiffe:\/\//i;

/** Decides what is created and changed, per credential, without applying it. */
export function decidePutCredentials(
  state: ClusterState,
  limits: MachineLimits,
  requests: readonly CredentialToPut[],
  nowMs: number,
): Decision {
  refuseRepeated(requests.map(({ username }) => username));
  const { kv } = state;
  const taken = new TakenNames(kv);
  const changes: EntryChange[] = [];
  let credentialCount = kv.of('credential').size;
  let passwordCount = kv.of('scramCredential').size;
  const results = requests.map((request): CredentialResult => {
    const problem = problemOf(request, limits, taken);
    if (problem !== undefined) return { error: 'INVALID_REQUEST', message: problem };
    const { username, name, password } = request;
    const stored = kv.get('credential', username);
    const isNewPassword = password !== null && kv.get('scramCredential', username) === undefined;
    if (stored === undefined && credentialCount >= limits.credentialsMax) return full(credentialCount);
    if (isNewPassword && passwordCount >= limits.scramCredentialsMax) return full(passwordCount);
    const before = stored === undefined ? undefined : readCredentialRecord(stored);
    if (before === undefined) credentialCount++;
    else taken.giveBack(username, before.name);
    if (isNewPassword) passwordCount++;
    taken.take(username, name);
    const { id, createdMs } = before ?? { id: request.id, createdMs: nowMs };
    const value = writeCredentialRecord({
      ...request,
      isReadOnly: request.isReadOnly ?? false,
      id,
      createdMs,
    });
    changes.push({ namespace: 'credential', key: username, value });
    if (password !== null) {
      changes.push({
        namespace: 'scramCredential',
        key: username,
        value: writeScramCredential({ ...password, createdMs: nowMs }),
      });
    }
    return done;
  });
  return recorded(state, limits, changes, results);
}

/**
 * Decides what is removed, without applying it: a credential with its password and its tokens, never the password of a
 * user without a credential.
 */
export function decideDeleteCredentials(
  state: ClusterState,
  limits: MachineLimits,
  usernames: readonly string[],
): Decision {
  refuseRepeated(usernames);
  const changes: EntryChange[] = [];
  const results = usernames.map((key): CredentialResult => {
    const value = state.kv.get('credential', key);
    if (value === undefined) {
      return { error: 'RESOURCE_NOT_FOUND', message: `The cluster has no credential "${key}".` };
    }
    changes.push({ namespace: 'credential', key, value: null });
    changes.push({ namespace: 'scramCredential', key, value: null });
    changes.push({ namespace: 'credentialUse', key, value: null });
    changes.push(...tokensOfCredential(state.kv, key, value));
    return done;
  });
  return recorded(state, limits, changes, results);
}

/** Logins that are not stored yet, by username. */
interface RecentLogins {
  readonly seenMs?: ReadonlyMap<string, number>;
  /** Those with the old password of a rotation. */
  readonly seenOldMs?: ReadonlyMap<string, number>;
}

/** Returns all credentials as of a time. */
export function listCredentials(
  kv: Pick<KeyValueStore, 'get' | 'of'>,
  nowMs: number,
  { seenMs, seenOldMs }: RecentLogins = {},
): CredentialDescription[] {
  const all = Array.from(kv.of('credential'), ([username, value]): CredentialDescription => {
    const { isFromFile = false, isReadOnly = false, ...record } = readCredentialRecord(value);
    const lastUsedMs = lastUsed(lastUseOf(kv, username), seenMs?.get(username), record.createdMs);
    const stored = kv.get('scramCredential', username);
    const described = { username, ...record, isFromFile, isReadOnly, lastUsedMs };
    if (stored === undefined) return { ...described, hasPassword: false };
    const password = readScramCredential(stored);
    const { createdMs: passwordCreatedMs } = password;
    const old = oldPasswordAt(password, nowMs);
    return {
      ...described,
      hasPassword: true,
      ...(passwordCreatedMs === undefined ? {} : { passwordCreatedMs }),
      ...(old === undefined
        ? {}
        : {
            oldPassword: {
              createdMs: old.createdMs ?? null,
              endsMs: old.endsMs,
              lastUsedMs: lastUsed(
                lastOldPasswordUseOf(kv, username),
                seenOldMs?.get(username),
                passwordCreatedMs ?? 0,
              ),
            },
          }),
    };
  });
  return all.sort((a, b) => a.createdMs - b.createdMs);
}

/** Ignores uses of a deleted credential with the same name, and of an old password of an earlier rotation. */
function lastUsed(
  writtenMs: number | undefined,
  seenMs: number | undefined,
  createdMs: number,
): number | null {
  if (writtenMs === undefined && seenMs === undefined) return null;
  const usedMs = Math.max(writtenMs ?? 0, seenMs ?? 0);
  return usedMs >= createdMs ? usedMs : null;
}

function refuseRepeated(usernames: readonly string[]): void {
  const [namedTwice] = repeated(usernames);
  if (namedTwice !== undefined) throw new MalformedCommand(`the username "${namedTwice}" is named twice`);
}

function problemOf(
  { username, id, name, password }: CredentialToPut,
  { principalNameCharsMax }: MachineLimits,
  taken: TakenNames,
): string | undefined {
  if (username === '' || username.length > principalNameCharsMax || controlCharacter.test(username)) {
    return `A username has 1 to ${principalNameCharsMax} characters, none of them a control character.`;
  }
  if (!idPattern.test(id)) return 'The id of a credential is cci_ and letters, digits, dots or dashes.';
  if (!namePattern.test(name)) {
    return 'The name of a credential is ccn_ and 1 to 128 letters, digits, dots, dashes or underscores.';
  }
  if (password !== null && spiffe.test(username)) {
    return `"${username}" authenticates with a certificate and cannot have a password.`;
  }
  for (const spelling of credentialSpellings(username, name)) {
    // ACLs for these names are about other users.
    if (spelling === anonymousName || spelling === '*')
      return `The name "${spelling}" is reserved; choose another.`;
    const owner = taken.otherOwner(spelling, username);
    if (owner !== undefined) return `The name "${spelling}" belongs to the user "${owner}"; choose another.`;
  }
  return undefined;
}

function full(count: number): CredentialResult {
  return { error: 'POLICY_VIOLATION', message: `The cluster has ${count} credentials, which is the limit.` };
}

function recorded(
  state: ClusterState,
  limits: MachineLimits,
  changes: readonly EntryChange[],
  results: CredentialResult[],
): Decision {
  const { changed, problem } = decidePutEntries(state, limits, changes);
  if (problem === undefined) return { changed, results };
  const refused = { error: 'POLICY_VIOLATION', message: problem } as const;
  return { changed, results: results.map((result) => (result.error === 'NONE' ? refused : result)) };
}
