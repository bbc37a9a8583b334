/** An entry of the registry's state that is put or, with `null`, removed. The machine does not interpret values. */
export interface RegistryChange {
  readonly key: string;
  readonly value: Uint8Array | null;
}
