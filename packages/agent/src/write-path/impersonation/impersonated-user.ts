import { isUtf8 } from 'node:buffer';
import { coreLimits } from '@weir/core';

/** `User:` and a name of one line, as flags and ACLs spell a principal. */
const principalPattern = /^User:([^\p{Cc}]+)$/u;
/** What ACLs write for everybody is nobody. */
const everybody = '*';
const principalBytesMax = 'User:'.length + 4 * coreLimits.principalNameCharsMax;

/** The user whom a record is written for, as its header says it; `undefined` when it names nobody. */
export function readImpersonatedUser(value: Buffer | null): string | undefined {
  if (value === null || value.length > principalBytesMax || !isUtf8(value)) return undefined;
  const user = principalPattern.exec(value.toString())?.[1];
  return user === everybody || (user?.length ?? 0) > coreLimits.principalNameCharsMax ? undefined : user;
}
