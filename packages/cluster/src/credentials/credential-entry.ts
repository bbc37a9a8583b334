/**
 * A credential without its password, which is a separate entry under the same username: Kafka's own tools may change
 * the password of a credential (unless it is a superuser's), but not whether it is a superuser.
 */
interface CredentialEntry {
  /** `cci_…` */
  readonly id: string;
  /** `ccn_…`: the display name. */
  readonly name: string;
  /** ACLs do not apply to a superuser. */
  readonly isSuperuser: boolean;
  readonly createdMs: number;
  /** Whether a credentials file manages it; it is removed when the file no longer names it. Absent means false. */
  readonly isFromFile?: boolean;
  /** Whether it may only read, which the schema registry enforces. Absent means false. */
  readonly isReadOnly?: boolean;
}

type Columns = [
  id: string,
  name: string,
  isSuperuser: boolean,
  createdMs: number,
  isFromFile?: boolean,
  isReadOnly?: boolean,
];

export function readCredentialRecord(value: Uint8Array): CredentialEntry {
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString();
  const [id, name, isSuperuser, createdMs, isFromFile = false, isReadOnly = false] = JSON.parse(
    text,
  ) as Columns;
  return { id, name, isSuperuser, createdMs, isFromFile, isReadOnly };
}

export function writeCredentialRecord(record: CredentialEntry): Buffer {
  const { id, name, isSuperuser, createdMs, isFromFile = false, isReadOnly = false } = record;
  const columns: Columns = [id, name, isSuperuser, createdMs, isFromFile];
  if (isReadOnly) columns.push(true);
  return Buffer.from(JSON.stringify(columns));
}
