import { credentialSpellings, readCredentialRecord } from '@weir/cluster';
import type { KeyValueStore } from '../kv/key-value-store.ts';

/**
 * Owners of names: usernames of credentials by all their spellings, and users with only a password by their username.
 */
export class TakenNames {
  readonly #ownerOf = new Map<string, string>();

  constructor(kv: Pick<KeyValueStore, 'of'>) {
    for (const user of kv.of('scramCredential').keys()) this.#ownerOf.set(user, user);
    for (const [username, value] of kv.of('credential'))
      this.take(username, readCredentialRecord(value).name);
  }

  take(username: string, name: string): void {
    for (const spelling of credentialSpellings(username, name)) this.#ownerOf.set(spelling, username);
  }

  giveBack(username: string, name: string): void {
    for (const spelling of credentialSpellings(username, name)) this.#ownerOf.delete(spelling);
  }

  /** Returns the other user that owns the name, if any. */
  otherOwner(spelling: string, username: string): string | undefined {
    const owner = this.#ownerOf.get(spelling);
    return owner === username ? undefined : owner;
  }
}
