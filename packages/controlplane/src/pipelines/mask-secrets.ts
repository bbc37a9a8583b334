/** Stands for a secret. */
export const mask = '***';

/** Longer texts are cut here, because they are cut for display anyway. */
const charsMax = 4096;

/** Parts of names that secrets have. */
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
];
/** Short ones, which have to stand alone between the parts of a name. */
const shortWords = '(?:^|[-_.])(?:pass|pwd|pw|sas|sig|dsn)(?:$|[-_.])';

const secretName = new RegExp(`${secretWords.join('|')}|${shortWords}`, 'i');

/** Whether all that is below a key of this name is secret. */
function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** A key whose value is a secret, and whose fields are what they are: `credentials: {id: …, secret: …}`. */
const credentialsName = /credential/i;
/** A key that names a variable of the environment, where the secret is. */
const variableKey = /_env(?:_var)?$/i;
const variableName = /^[A-Z_][A-Z0-9_]{0,127}$/;
/** A value that the environment is asked for. What would stand there instead, after a colon, is no name any more. */
const variableReference = /^\$\{[A-Za-z_][A-Za-z0-9_]{0,127}\}$/;

/** A value that stands below these keys, with every secret in it masked. */
export function maskedValue(keys: readonly string[], value: string): string {
  const key = keys.at(-1) ?? '';
  if (variableReference.test(value)) return value;
  if (variableKey.test(key)) return variableName.test(value) ? value : mask;
  if (keys.some(isSecretName) || credentialsName.test(key)) return mask;
  return maskedText(value);
}

const assigned = new RegExp(
  `((?:${secretWords.join('|')}|\\b(?:pass|pwd|pw|sas|sig))[\\w-]*["'\\]]*\\s*[=:]\\s*)("[^"]*"?|'[^']*'?|[^\\s&;,"']+)`,
  'gi',
);

/** A text with what looks like a secret masked: passwords of addresses, values of parameters, tokens and keys. */
function maskedText(text: string): string {
  const cut = text.slice(0, charsMax);
  if (cut.includes('-----BEGIN')) return mask;
  return (
    cut
      // Of an address, who enters and with what; a password may have signs that should not be there.
      .replaceAll(/(:\/\/)[^\s/?#@:]*(?::\S*)?@/g, `$1${mask}@`)
      // The same where the end of it is not seen: what follows a colon is a port, or secret.
      .replaceAll(/(:\/\/[^\s/?#@:]+):(?!\d{1,5}(?:[^\w]|$))\S*/g, `$1:${mask}`)
      .replaceAll(/\b(bearer|basic)\s+[\w+/=.~-]{6,}/gi, `$1 ${mask}`)
      .replaceAll(assigned, `$1${mask}`)
      .replaceAll(/\b(?:aks|ccp)_\w+/g, mask)
  );
}
