import type { Records } from '../machine/kv/key-value-store.ts';
import { readCredentialRecord } from './credential-entry.ts';

const prefix = 'ccn_';

/**
 * All names under which rules may speak of a credential: its username, its name, and its name without the prefix. ACLs and quotas know
 * whoever has one of them by it, so that no two may have the same.
 */
export function spellingsOf(username: string, name: string): string[] {
  return [...new Set([username, name, name.slice(prefix.length)])];
}

/** Whose a name is: the usernames of credentials by all their spellings, and users that have only a password by theirs. */
export class TakenNames {
  readonly #ownerOf = new Map<string, string>();

  constructor(records: Pick<Records, 'of'>) {
    for (const user of records.of('scramCredential').keys()) this.#ownerOf.set(user, user);
    for (const [username, value] of records.of('credential'))
      this.take(username, readCredentialRecord(value).name);
  }

  take(username: string, name: string): void {
    for (const spelling of spellingsOf(username, name)) this.#ownerOf.set(spelling, username);
  }

  giveBack(username: string, name: string): void {
    for (const spelling of spellingsOf(username, name)) this.#ownerOf.delete(spelling);
  }

  /** The username of another who has the name. */
  otherOwner(spelling: string, username: string): string | undefined {
    const owner = this.#ownerOf.get(spelling);
    return owner === username ? undefined : owner;
  }
}
