import type { EntriesView } from '@weir/cluster';
import { givenCredentialName, readCredentialRecord } from '@weir/cluster';
import { type Principal, principalWithoutCredential } from './principal.ts';
import type { PipelineLogins } from './sasl/pipeline-logins.ts';

/** Returns the principal of an authenticated user, however it authenticated. */
export type PrincipalOf = (username: string) => Principal;

/**
 * Returns principals by the credentials in the cluster view. A user needs no credential: a certificate or a token
 * authenticates as well. A credential with the name of the user determines whether it is a superuser and its aliases.
 */
export function principalsOf(
  credentials: EntriesView,
  pipelines?: Pick<PipelineLogins, 'principalOf'>,
): PrincipalOf {
  // A changed entry is a new object, so the cached principal is dropped with the old one.
  const made = new WeakMap<Uint8Array, Principal>();
  return (username) => {
    const value = credentials.byKey.get(username);
    if (value === undefined) return pipelines?.principalOf(username) ?? principalWithoutCredential(username);
    let principal = made.get(value);
    if (principal === undefined) {
      principal = principalBy(username, value);
      made.set(value, principal);
    }
    return principal;
  };
}

function principalBy(username: string, value: Uint8Array): Principal {
  const { name, isSuperuser, isReadOnly } = readCredentialRecord(value);
  // The name that a user gave is shown; ACLs may also name it with its prefix.
  const aliases = [...new Set([givenCredentialName(name), name])];
  return {
    name: `User:${username}`,
    aliases: aliases.map((alias) => `User:${alias}`),
    credentialName: name,
    isSuperuser,
    ...(isReadOnly === true ? { isReadOnly } : {}),
  };
}
