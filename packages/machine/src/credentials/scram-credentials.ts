import {
  type ConfigsBy,
  readCredentialRecord,
  readScramCredential,
  type ScramCredentialChange,
  type ScramCredentialDescription,
  type ScramCredentialResult,
  writeScramCredential,
} from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import { MalformedCommand } from '../command.ts';
import type { KeyValueStore } from '../kv/key-value-store.ts';
import { decidePutEntries, type EntryChange } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { repeated } from '../topics/repeated.ts';
import { TakenNames } from './taken-names.ts';

/** Decides the changes per user, without applying them. A new password ends the old one of a rotation too. */
export function decideAlterScramCredentials(
  state: ClusterState,
  limits: MachineLimits,
  requests: readonly ScramCredentialChange[],
  by: ConfigsBy,
  nowMs: number,
): { changed: readonly EntryChange[]; results: ScramCredentialResult[] } {
  const [namedTwice] = repeated(requests.map(({ user }) => user));
  if (namedTwice !== undefined) throw new MalformedCommand(`the user "${namedTwice}" is named twice`);
  const known = state.kv.of('scramCredential');
  const changes: EntryChange[] = [];
  const taken = new TakenNames(state.kv);
  let count = known.size;
  const results = requests.map(({ user, credential }): ScramCredentialResult => {
    const isKnown = known.has(user);
    if (credential === null && !isKnown) {
      return { error: 'RESOURCE_NOT_FOUND', message: 'The user has no SCRAM-SHA-512 credential.' };
    }
    if (by === 'client' && isSuperuser(state.kv, user)) {
      const message = `"${user}" is a superuser: change the password in -saslCredentialsFile, or make another credential through the API.`;
      return { error: 'POLICY_VIOLATION', message };
    }
    const added = (credential === null ? 0 : 1) - (isKnown ? 1 : 0);
    if (added > 0 && count >= limits.scramCredentialsMax) {
      return {
        error: 'POLICY_VIOLATION',
        message: `The cluster has ${count} credentials, which is the limit.`,
      };
    }
    const owner = credential === null ? undefined : taken.otherOwner(user, user);
    if (owner !== undefined) {
      const message = `The name "${user}" belongs to the credential of "${owner}"; choose another.`;
      return { error: 'POLICY_VIOLATION', message };
    }
    count += added;
    const value = credential === null ? null : writeScramCredential({ ...credential, createdMs: nowMs });
    changes.push({ namespace: 'scramCredential', key: user, value });
    return { error: 'NONE', message: null };
  });
  const { changed, problem } = decidePutEntries(state, limits, changes);
  if (problem === undefined) return { changed, results };
  const refused = { error: 'POLICY_VIOLATION', message: problem } as const;
  return { changed, results: results.map((result) => (result.error === 'NONE' ? refused : result)) };
}

/** A client that could set the password of a superuser could log in as one. */
function isSuperuser(kv: Pick<KeyValueStore, 'get'>, user: string): boolean {
  const value = kv.get('credential', user);
  return value !== undefined && readCredentialRecord(value).isSuperuser;
}

export function describeScramCredentials(
  kv: Pick<KeyValueStore, 'get' | 'of'>,
  users: readonly string[],
): (ScramCredentialDescription | null)[] {
  const requested = users.length > 0 ? users : kv.of('scramCredential').keys();
  return Array.from(requested, (user) => {
    const value = kv.get('scramCredential', user);
    return value === undefined ? null : { user, iterations: readScramCredential(value).iterations };
  });
}
