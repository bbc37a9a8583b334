import { SecretMissing } from './secret-reference.ts';

/**
 * Secrets that users wrote into a configuration are stored as `${sealed:…}`. Only the control plane can open them; who
 * runs the configuration gets the values with it.
 */
const sealedText = /\$\{sealed:([\w.-]+)\}/g;

/** The form in which a configuration holds a sealed secret. */
export function sealedReference(sealed: string): string {
  return `\${sealed:${sealed}}`;
}

/** Whether a text may be meant as a sealed secret, so that users cannot write one. */
export function looksSealed(text: string): boolean {
  return text.includes(`\${sealed:`);
}

/** Returns the sealed secrets of a text. */
export function sealedTextsIn(text: string): readonly string[] {
  return [...text.matchAll(sealedText)].map(([, sealed]) => sealed!);
}

/** Returns a text with the values of its sealed secrets. Throws `SecretMissing`. */
export function withOpened(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(sealedText, (_, sealed: string) => {
    if (!Object.hasOwn(values, sealed))
      throw new SecretMissing(
        'the configuration has a secret that the control plane cannot open any more; write it again',
      );
    return values[sealed]!;
  });
}
