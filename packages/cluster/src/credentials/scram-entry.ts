import type { ScramCredential } from '../calls/principal-calls.ts';

/**
 * SCRAM credentials are key-value entries keyed by username. SCRAM-SHA-512 is the only mechanism; another one would get
 * its own namespace.
 */

/** The password that a rotation replaced. It has the salt and the iterations of the current one. */
interface OldPassword {
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
  /** Absent if an earlier release stored it. */
  readonly createdMs?: number | undefined;
  /** It is accepted before this time. */
  readonly endsMs: number;
}

/** The passwords of a user: the current one, and during a rotation the one before. */
export interface StoredPassword extends ScramCredential {
  /** Absent if an earlier release stored it. */
  readonly createdMs?: number | undefined;
  readonly old?: OldPassword | undefined;
}

/** Length of two passwords without salt and times; an entry with one password is shorter unless its salt is long. */
const twoPasswordsBytesMin = 4 * 88;

/** Keys, time and end of an old password. */
const oldColumns = 4;

/** Reads the entry of a user; see `writeScramCredential`. */
export function readScramCredential(value: Uint8Array): StoredPassword {
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString();
  const [iterations, salt, storedKey, serverKey, created = '', ...old] = JSON.parse(text) as [
    number,
    string,
    string,
    string,
    ...string[],
  ];
  return {
    iterations,
    salt: bytesOf(salt),
    storedKey: bytesOf(storedKey),
    serverKey: bytesOf(serverKey),
    ...createdAt(created),
    ...(old.length < oldColumns ? {} : { old: readOld(old as [string, string, string, string]) }),
  };
}

function readOld([storedKey, serverKey, created, ends]: [string, string, string, string]): OldPassword {
  return {
    storedKey: bytesOf(storedKey),
    serverKey: bytesOf(serverKey),
    ...createdAt(created),
    endsMs: Number(ends),
  };
}

/**
 * Iterations, salt and the two keys in base64, then the time of the password, and the keys and times of the old one.
 * Everything but the iterations is text: earlier releases take all of it for base64, and ignore what follows the keys.
 */
export function writeScramCredential(password: StoredPassword): Buffer {
  const { iterations, salt, storedKey, serverKey, createdMs, old } = password;
  const columns = [iterations, ...[salt, storedKey, serverKey].map(textOf)];
  if (createdMs !== undefined || old !== undefined) columns.push(timeText(createdMs));
  if (old !== undefined) {
    columns.push(textOf(old.storedKey), textOf(old.serverKey));
    columns.push(timeText(old.createdMs), timeText(old.endsMs));
  }
  return Buffer.from(JSON.stringify(columns));
}

/** Whether an entry may have an old password, without reading it. */
export function mayHaveOldPassword(value: Uint8Array): boolean {
  return value.length >= twoPasswordsBytesMin;
}

/** The old password while it is accepted. */
export function oldPasswordAt({ old }: StoredPassword, nowMs: number): OldPassword | undefined {
  return old !== undefined && nowMs < old.endsMs ? old : undefined;
}

function createdAt(text: string): { createdMs?: number } {
  return text === '' ? {} : { createdMs: Number(text) };
}

function timeText(timeMs: number | undefined): string {
  return timeMs === undefined ? '' : String(timeMs);
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
