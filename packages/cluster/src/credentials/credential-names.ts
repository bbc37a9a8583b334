const prefix = 'ccn_';

/**
 * All names under which rules may speak of a credential: its username, its name, and its name without the prefix. ACLs and quotas know
 * whoever has one of them by it, so that no two may have the same.
 */
export function credentialSpellings(username: string, name: string): string[] {
  return [...new Set([username, name, name.slice(prefix.length)])];
}
