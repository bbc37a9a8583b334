import { givenCredentialName } from '@weir/cluster';
import { anonymousName } from '@weir/core';

/** The identity of a client. */
export interface Principal {
  /** `User:` and a name, as in ACLs and quotas. */
  readonly name: string;
  /** Further names by which ACLs may refer to the principal: a credential has a username and a name of its own. */
  readonly aliases: readonly string[];
  /** Name of its credential; `undefined` if it has none. */
  readonly credentialName: string | undefined;
  /** ACLs do not apply to a superuser. */
  readonly isSuperuser: boolean;
  /** Set if its credential may only read, in the schema registry. */
  readonly isReadOnly?: true;
}

/** The name by which ACLs should refer to a principal. Usernames of credentials are generated, their names are not. */
export function principalInAcls({ name, credentialName }: Principal): string {
  return credentialName === undefined ? name : `User:${givenCredentialName(credentialName)}`;
}

/** The principal of an unauthenticated client, as in Kafka. */
export const anonymous: Principal = {
  name: `User:${anonymousName}`,
  aliases: [],
  credentialName: undefined,
  isSuperuser: false,
};

/** A user without a credential in the cluster. */
export function principalWithoutCredential(username: string): Principal {
  return { ...anonymous, name: `User:${username}` };
}

/** Returns the name without its type, as quotas and headers need it. */
export function userOf({ name }: Principal): string {
  return name.slice(name.indexOf(':') + 1);
}
