import { isSecretReference } from '@weir/core';
import { isSecretField } from './secret-fields.ts';
import { variableKey } from './tenant-references.ts';

/** Replaces a secret. */
export const mask = '***';

/** Patterns are searched for in lines of up to this length; a longer one that may have a secret is masked whole. */
const lineCharsMax = 4096;

/** Parts of names of secrets. */
const secretWords = [
  'passw',
  'passphrase',
  'passcode',
  'secret',
  'token',
  'signature',
  'authorization',
  'cookie',
  'jaas',
  'private[-_]?key',
  'api[-_]?key',
  'access[-_]?key',
  'account[-_]?key',
  'shared[-_]?key',
  'connection[-_]?string',
  'nkey[-_]?seed',
  'user[-_]?jwt',
];
/** Short ones, which must be a whole part of the name. */
const shortWords = '(?:^|[-_.])(?:pass|pwd|pw|sas|sig|dsn)(?:$|[-_.])';

const secretName = new RegExp(`${secretWords.join('|')}|${shortWords}`, 'i');

/** Whether everything below a key of this name is secret. */
function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** A key whose plain value is a secret, but whose fields are checked one by one: `credentials: {id: …, secret: …}`. */
const credentialsName = /credential/i;
const variableName = /^[A-Z_][A-Z0-9_]{0,127}$/;
/** A value from the environment. With a default after a colon it is no longer only a name. */
const variableReference = /^\$\{[A-Za-z_][A-Za-z0-9_]{0,127}\}$/;

/** Returns a value below these keys, with every secret in it masked. */
export function maskedValue(keys: readonly string[], value: string): string {
  const key = keys.at(-1) ?? '';
  if (variableReference.test(value) || isSecretReference(value)) return value;
  if (variableKey.test(key)) return variableName.test(value) ? value : mask;
  if (keys.some(isSecretName) || credentialsName.test(key) || isSecretField(keys)) return mask;
  return maskedText(value);
}

const maySecret = new RegExp(`${secretWords.join('|')}|:\\/\\/|bearer|basic|aks_|ccp_`, 'i');

const assigned = new RegExp(
  `((?:${secretWords.join('|')}|\\b(?:pass|pwd|pw|sas|sig))[\\w-]*["'\\]]*\\s*[=:]\\s*)("[^"]*"?|'[^']*'?|[^\\s&;,"']+)`,
  'gi',
);

/** Masks what looks like a secret: passwords in URLs, values of parameters, tokens and keys. */
export function maskedText(text: string): string {
  if (text.includes('-----BEGIN')) return mask;
  if (text.length <= lineCharsMax) return maskedPatterns(text);
  return text
    .split('\n')
    .map((line) => (line.length <= lineCharsMax ? maskedPatterns(line) : maySecret.test(line) ? mask : line))
    .join('\n');
}

function maskedPatterns(text: string): string {
  return (
    text
      // User and password of a URL; a password may contain characters that should be escaped.
      .replaceAll(/(:\/\/)[^\s/?#@:]*(?::\S*)?@/g, `$1${mask}@`)
      // The same without a visible end: what follows a colon is a port, or secret.
      .replaceAll(/(:\/\/[^\s/?#@:]+):(?!\d{1,5}(?:[^\w]|$))\S*/g, `$1:${mask}`)
      .replaceAll(/\b(bearer|basic)\s+[\w+/=.~-]{6,}/gi, `$1 ${mask}`)
      .replaceAll(assigned, `$1${mask}`)
      .replaceAll(/\b(?:aks|ccp)_\w+/g, mask)
  );
}
