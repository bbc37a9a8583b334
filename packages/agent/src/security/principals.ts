import { readCredentialRecord } from '@weir/cluster';
import type { EntriesView } from '../cluster/followed-entries.ts';
import { type Principal, principalWithoutCredential } from './principal.ts';

/** Gives whoever has proved to be a user, by whatever means, the principal that the cluster knows him by. */
export type PrincipalOf = (username: string) => Principal;

/** What people call a credential begins with this, and rules may leave it out. */
const credentialNamePrefix = 'ccn_';

/**
 * Principals of users, by the credentials of the cluster as the agent last heard of them. A user needs no credential: a certificate or
 * a token proves him as well. If there is one under his name, it says whether rules bind him and how else they may call him.
 */
export function principalsOf(credentials: EntriesView): PrincipalOf {
  // A record that changes is another object, so that what was made of it goes with it.
  const made = new WeakMap<Uint8Array, Principal>();
  return (username) => {
    const value = credentials.byKey.get(username);
    if (value === undefined) return principalWithoutCredential(username);
    let principal = made.get(value);
    if (principal === undefined) {
      principal = principalBy(username, value);
      made.set(value, principal);
    }
    return principal;
  };
}

function principalBy(username: string, value: Uint8Array): Principal {
  const { name, isSuperuser } = readCredentialRecord(value);
  const aliases = [name];
  if (name.startsWith(credentialNamePrefix)) aliases.push(name.slice(credentialNamePrefix.length));
  return {
    name: `User:${username}`,
    aliases: aliases.map((alias) => `User:${alias}`),
    credentialName: name,
    isSuperuser,
  };
}
