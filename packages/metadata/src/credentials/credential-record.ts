/**
 * What a cluster knows of a credential besides its password, which is in another record under the same username: the password of a
 * credential can be changed by Kafka's own tools, and who may do everything cannot.
 */
export interface CredentialRecord {
  /** `cci_…` */
  readonly id: string;
  /** `ccn_…`: what people call it. */
  readonly name: string;
  /** Rules do not bind it. */
  readonly isSuperuser: boolean;
  readonly createdMs: number;
}

export function readCredentialRecord(value: Uint8Array): CredentialRecord {
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString();
  const [id, name, isSuperuser, createdMs] = JSON.parse(text) as [string, string, boolean, number];
  return { id, name, isSuperuser, createdMs };
}

export function writeCredentialRecord({ id, name, isSuperuser, createdMs }: CredentialRecord): Buffer {
  return Buffer.from(JSON.stringify([id, name, isSuperuser, createdMs]));
}
