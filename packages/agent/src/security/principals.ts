import { readCredentialRecord } from '@weir/metadata';
import type { RecordsView } from '../cluster/followed-records.ts';
import type { Principal } from './principal.ts';

/** Gives whoever has proved to be a user, by whatever means, the principal that the cluster knows him by. */
export type PrincipalOf = (username: string) => Principal;

/** What people call a credential begins with this, and rules may leave it out. */
const credentialNamePrefix = 'ccn_';

/**
 * Principals of users, by the credentials of the cluster as the agent last heard of them. A user needs no credential: a certificate or
 * a token proves him as well. If there is one under his name, it says whether rules bind him and how else they may call him.
 */
export function principalsOf(credentials: RecordsView): PrincipalOf {
  return (username) => {
    const name = `User:${username}`;
    const value = credentials.byKey.get(username);
    if (value === undefined) return { name, aliases: [], credentialName: undefined, isSuperuser: false };
    const credential = readCredentialRecord(value);
    const aliases = [credential.name];
    if (credential.name.startsWith(credentialNamePrefix)) {
      aliases.push(credential.name.slice(credentialNamePrefix.length));
    }
    return {
      name,
      aliases: aliases.map((alias) => `User:${alias}`),
      credentialName: credential.name,
      isSuperuser: credential.isSuperuser,
    };
  };
}
