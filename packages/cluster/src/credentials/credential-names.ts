const prefix = 'ccn_';

/**
 * Returns all names by which ACLs and quotas may refer to a credential: its username, its name, and its name without
 * the prefix. No two credentials may share one of them, because a rule for a name applies to its bearer.
 */
export function credentialSpellings(username: string, name: string): string[] {
  return [...new Set([username, name, name.slice(prefix.length)])];
}
