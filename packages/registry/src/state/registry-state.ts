/**
 * The state of a registry: schemas by context and id, versions by subject, configs and modes. It is built from entries
 * that the cluster's machine stores, and answers every read of the API.
 */
export class RegistryState {
  /** The revision of the last change that was applied. */
  revision = 0;

  /** Applies an entry that was put or, with `null`, removed. */
  apply(_key: string, _value: Uint8Array | null): void {}

  /**
   * The value of an entry as it was applied, or an equal one; `null` if there is none. A store applies the changes of
   * several decisions to decide the next, and takes them back until they are durable: `apply(key, valueOf(key))` of an
   * earlier moment restores the state of that moment.
   */
  valueOf(_key: string): Uint8Array | null {
    return null;
  }
}
