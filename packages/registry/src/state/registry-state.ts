/**
 * The state of a registry: schemas by context and id, versions by subject, configs and modes. It is built from entries
 * that the cluster's machine stores, and answers every read of the API.
 */
export class RegistryState {
  /** The revision of the last change that was applied. */
  revision = 0;

  /** Applies an entry that was put or, with `null`, removed. */
  apply(_key: string, _value: Uint8Array | null): void {}
}
