import { apiLimits } from '@weir/api/limits';
import { coreLimits } from '@weir/core';

/** A credential in a file. */
export interface FileCredential {
  /** With `ccn_`. */
  readonly name: string;
  readonly username: string;
  /** Without one, a certificate authenticates it. */
  readonly password: string | undefined;
  readonly isSuperuser: boolean;
}

const fields = ['name', 'username', 'password', 'superuser'];
const namePattern = /^[\w.-]{1,128}$/;

/**
 * Parses a list of `{name, username?, password?, superuser?}`. The username defaults to the name. Nothing is generated:
 * several processes read the file repeatedly, so it must be complete. Errors name the entry, never its contents.
 */
export function parseCredentials(text: string): FileCredential[] {
  const list = parseList(text);
  if (list.length > coreLimits.credentialsMax) {
    throw new Error(`${list.length} credentials; a cluster has at most ${coreLimits.credentialsMax}`);
  }
  const credentials = list.map(parseCredential);
  refuseRepeated(credentials, 'username');
  refuseRepeated(credentials, 'name');
  return credentials;
}

function parseList(text: string): unknown[] {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may be a password.
    throw new Error('the file is not JSON');
  }
  if (!Array.isArray(found)) throw new Error('the file is not a list of credentials');
  return found;
}

function parseCredential(entry: unknown, index: number): FileCredential {
  const place = `entry ${index + 1}`;
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new Error(`${place} is not an object with name and password`);
  }
  const { name, username, password, superuser } = entry as Record<string, unknown>;
  const shortName = typeof name === 'string' ? name.replace(/^ccn_/, '') : '';
  if (!namePattern.test(shortName)) {
    throw new Error(`${place}: name is 1 to 128 letters, digits, dots, dashes or underscores`);
  }
  const where = `${place} (${shortName})`;
  const unknown = Object.keys(entry).find((field) => !fields.includes(field));
  // An unknown field may have a secret as its name.
  if (unknown !== undefined) throw new Error(`${where}: only ${fields.join(', ')} may be said`);
  if (!isTextOrNothing(username))
    throw new Error(`${where}: username is not a text of one character or more`);
  if (!isTextOrNothing(password))
    throw new Error(`${where}: password is not a text of one character or more`);
  if (superuser !== undefined && typeof superuser !== 'boolean') {
    throw new Error(`${where}: superuser is not true or false`);
  }
  if (username !== undefined && username.length > coreLimits.principalNameCharsMax) {
    throw new Error(`${where}: username has more than ${coreLimits.principalNameCharsMax} characters`);
  }
  if (password !== undefined && password.length > apiLimits.passwordCharsMax) {
    throw new Error(`${where}: password has more than ${apiLimits.passwordCharsMax} characters`);
  }
  return {
    name: `ccn_${shortName}`,
    username: username ?? shortName,
    password,
    isSuperuser: superuser ?? false,
  };
}

function isTextOrNothing(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value !== '');
}

function refuseRepeated(credentials: readonly FileCredential[], field: 'name' | 'username'): void {
  const seen = new Set<string>();
  for (const credential of credentials) {
    if (seen.has(credential[field])) throw new Error(`two entries have the ${field} "${credential[field]}"`);
    seen.add(credential[field]);
  }
}
