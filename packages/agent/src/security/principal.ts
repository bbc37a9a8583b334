/** Who a client is. */
export interface Principal {
  /** `User:` and a name, as ACLs and quotas call it. */
  readonly name: string;
  /** Further names under which rules may speak of the same one: a credential has a username and a name of its own. */
  readonly aliases: readonly string[];
  /** The name of its credential; `undefined` when it has none. */
  readonly credentialName: string | undefined;
  /** Rules do not bind it. */
  readonly isSuperuser: boolean;
}

/** Who has not said who he is, as Kafka calls him. */
export const anonymous: Principal = {
  name: 'User:ANONYMOUS',
  aliases: [],
  credentialName: undefined,
  isSuperuser: false,
};

/** A user of whom the cluster knows nothing but the name. */
export function principalWithoutCredential(username: string): Principal {
  return { ...anonymous, name: `User:${username}` };
}

/** The name without its kind, as quotas and headers want it. */
export function userOf({ name }: Principal): string {
  return name.slice(name.indexOf(':') + 1);
}
