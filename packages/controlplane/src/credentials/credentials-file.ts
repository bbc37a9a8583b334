import { apiLimits } from '@weir/api/limits';
import { coreLimits } from '@weir/core';
import * as z from 'zod';

/** A credential in a file. */
export interface FileCredential {
  /** With `ccn_`. */
  readonly name: string;
  readonly username: string;
  /** Without one, a certificate authenticates it. */
  readonly password: string | undefined;
  readonly isSuperuser: boolean;
}

const nameRule = 'is 1 to 128 letters, digits, dots, dashes or underscores';

const entrySchema = z.strictObject(
  {
    name: z
      .string({ error: nameRule })
      .transform((name) => name.replace(/^ccn_/, ''))
      .refine((name) => /^[\w.-]{1,128}$/.test(name), { error: nameRule }),
    username: text(coreLimits.principalNameCharsMax).optional(),
    password: text(apiLimits.passwordCharsMax).optional(),
    superuser: z.boolean({ error: 'is not true or false' }).optional(),
  },
  {
    error: ({ code }) =>
      // An unknown field may have a secret as its name.
      code === 'unrecognized_keys'
        ? 'only name, username, password, superuser may be said'
        : 'is not an object with name and password',
  },
);

function text(charsMax: number) {
  const error = 'is not a text of one character or more';
  return z
    .string({ error })
    .min(1, { error })
    .max(charsMax, { error: `has more than ${charsMax} characters` });
}

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
  const found = entrySchema.safeParse(entry);
  if (!found.success) throw new Error(problemOf(`entry ${index + 1}`, entry, found.error));
  const { name, username = name, password, superuser = false } = found.data;
  return { name: `ccn_${name}`, username, password, isSuperuser: superuser };
}

function problemOf(place: string, entry: unknown, { issues: [issue] }: z.ZodError): string {
  const { path, code, message } = issue!;
  if (path.length === 0 && code !== 'unrecognized_keys') return `${place} ${message}`;
  // The name is shown once it is known to be one.
  const { data: name } = entrySchema.shape.name.safeParse((entry as { name?: unknown }).name);
  return `${place}${name === undefined ? '' : ` (${name})`}: ${[...path, message].join(' ')}`;
}

function refuseRepeated(credentials: readonly FileCredential[], field: 'name' | 'username'): void {
  const seen = new Set<string>();
  for (const credential of credentials) {
    if (seen.has(credential[field])) throw new Error(`two entries have the ${field} "${credential[field]}"`);
    seen.add(credential[field]);
  }
}
