const prefix = 'ccn_';

/** The name that a user gave to a credential: its name without the prefix. */
export function givenCredentialName(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/**
 * Returns all names by which ACLs and quotas may refer to a credential: the name that a user gave to it, which is
 * shown, the same with its prefix, and its username. No two credentials may share one of them, because a rule for a
 * name applies to its bearer.
 */
export function credentialSpellings(username: string, name: string): string[] {
  return [...new Set([givenCredentialName(name), name, username])];
}

interface NamedCredential {
  readonly username: string;
  readonly name: string;
  readonly isSuperuser: boolean;
}

/** A principal with all its names in rules, the one that is shown first. */
export interface NamedPrincipal {
  readonly principal: string;
  readonly names: readonly string[];
  readonly isSuperuser: boolean;
}

const userKind = 'User:';

export function principalOfCredential({ username, name, isSuperuser }: NamedCredential): NamedPrincipal {
  const names = credentialSpellings(username, name).map((spelling) => userKind + spelling);
  return { principal: names[0]!, names, isSuperuser };
}

/** The principal with this name, in any spelling, with or without `User:`. One without a credential has one name. */
export function principalCalled(given: string, credentials: readonly NamedCredential[]): NamedPrincipal {
  const name = given.startsWith(userKind) ? given.slice(userKind.length) : given;
  const credential = credentials.find((one) => credentialSpellings(one.username, one.name).includes(name));
  if (credential !== undefined) return principalOfCredential(credential);
  return { principal: userKind + name, names: [userKind + name], isSuperuser: false };
}
