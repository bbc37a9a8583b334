/**
 * What a cluster knows of a credential besides its password, which is in another record under the same username: the password of a
 * credential can be changed by Kafka's own tools, unless it is a superuser's, and who may do everything cannot.
 */
interface CredentialEntry {
  /** `cci_…` */
  readonly id: string;
  /** `ccn_…`: what people call it. */
  readonly name: string;
  /** Rules do not bind it. */
  readonly isSuperuser: boolean;
  readonly createdMs: number;
  /** Whether a file says that it is there, and by not naming it any more removes it. False when it is left out. */
  readonly isFromFile?: boolean;
}

type Columns = [id: string, name: string, isSuperuser: boolean, createdMs: number, isFromFile?: boolean];

export function readCredentialRecord(value: Uint8Array): CredentialEntry {
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString();
  const [id, name, isSuperuser, createdMs, isFromFile = false] = JSON.parse(text) as Columns;
  return { id, name, isSuperuser, createdMs, isFromFile };
}

export function writeCredentialRecord(record: CredentialEntry): Buffer {
  const { id, name, isSuperuser, createdMs, isFromFile = false } = record;
  return Buffer.from(JSON.stringify([id, name, isSuperuser, createdMs, isFromFile] satisfies Columns));
}
