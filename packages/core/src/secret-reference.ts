import { coreLimits } from './limits.ts';

/**
 * References to named secrets in texts of configurations: `${secret:NAME}`. The control plane keeps the secrets; who
 * runs a configuration gets the values with it.
 */

/** The name of a secret. */
export const secretNamePattern = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
export const secretNameRule =
  'is not a letter and up to 63 more letters, digits, dots, underscores and hyphens';

/** Anything that may be meant as a reference, so that one with a mistake is not taken for a text. */
const reference = /\$\{\s{0,8}secret\s{0,8}:([^{}]{0,200})(\}?)/g;
const aloneReference = /^\$\{secret:([A-Za-z][A-Za-z0-9_.-]{0,63})\}$/;

/** A configuration names a secret that is not there. The message is one line, for tenants. */
export class SecretMissing extends Error {
  override readonly name = 'SecretMissing';
}

export function isSecretName(name: string): boolean {
  return secretNamePattern.test(name);
}

/** Whether a text is one reference and nothing else. */
export function isSecretReference(text: string): boolean {
  return aloneReference.test(text);
}

/** Returns the names that texts refer to, each once. */
export function secretNamesIn(texts: Iterable<string>): readonly string[] {
  const names = new Set<string>();
  for (const text of texts)
    for (const [whole, name] of text.matchAll(reference)) if (isSecretReference(whole)) names.add(name!);
  return [...names];
}

/** Returns what is wrong with a reference in a text, in words that follow the field that has it. */
export function problemOfSecretReferences(text: string): string | undefined {
  let count = 0;
  for (const [whole] of text.matchAll(reference)) {
    if (!isSecretReference(whole))
      return `has a reference to a secret that is not of the form \${secret:NAME}`;
    count++;
  }
  return count > coreLimits.secretReferencesMax
    ? `has more than ${coreLimits.secretReferencesMax} references to secrets`
    : undefined;
}

/** Returns a text with the values of the secrets that it refers to. Throws `SecretMissing`. */
export function withSecrets(text: string, values: Readonly<Record<string, string>>): string {
  const problem = problemOfSecretReferences(text);
  if (problem !== undefined) throw new SecretMissing(`the configuration ${problem}`);
  return text.replaceAll(reference, (_, name: string) => {
    if (!Object.hasOwn(values, name))
      throw new SecretMissing(
        `the configuration names the secret ${name}, which it may not use or which is gone`,
      );
    return values[name]!;
  });
}
