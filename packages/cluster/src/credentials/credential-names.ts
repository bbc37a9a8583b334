const prefix = 'ccn_';

/** The name that a user gave to a credential: its name without the prefix. */
export function givenCredentialName(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/**
 * Returns all names by which ACLs and quotas may refer to a credential: its username, its name, and its name without
 * the prefix. No two credentials may share one of them, because a rule for a name applies to its bearer.
 */
export function credentialSpellings(username: string, name: string): string[] {
  return [...new Set([username, name, givenCredentialName(name)])];
}
