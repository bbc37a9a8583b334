import { isUtf8 } from 'node:buffer';
import { coreLimits, problemOfPrincipalName } from '@weir/core';

/** `User:` and a name on one line, as flags and ACLs spell a principal. */
const principalPattern = /^User:(.+)$/s;
const principalBytesMax = 'User:'.length + 4 * coreLimits.principalNameCharsMax;

/** Parses the user in an impersonation header; `undefined` if the value is not a valid principal. */
export function readImpersonatedUser(value: Buffer | null): string | undefined {
  if (value === null || value.length > principalBytesMax || !isUtf8(value)) return undefined;
  const user = principalPattern.exec(value.toString())?.[1];
  return user === undefined || problemOfPrincipalName(user) !== undefined ? undefined : user;
}
