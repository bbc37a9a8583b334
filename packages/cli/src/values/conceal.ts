/** Replaces a secret wherever one would be printed. */
export const concealed = '(hidden)';

const colonToLastAt = /:(?!\/\/).*@/s;
const portThatIsNoNumber = /(:\/\/[^:@/?#[\]]*:)(?!\/\/|\d*(?:[/?#&,<]|$)|\(hidden\)@).*$/s;
const secretParameter = /([?&][^=&#]*(?:pass|pwd|secret|token|key|sig|credential)[^=&#]*=)[^&#<>,]*/gi;

/**
 * Hides the passwords of the URLs in a text: after the user name, and in query parameters whose name suggests a secret.
 *
 * The text may be malformed, and then the end of a password is unclear. So this prefers to hide too much: everything
 * from the first colon that is not a scheme's to the last `@` is a password, and so is a port that is no number.
 */
export function concealUrls(text: string): string {
  return text
    .replace(colonToLastAt, `:${concealed}@`)
    .replace(portThatIsNoNumber, `$1${concealed}`)
    .replace(secretParameter, `$1${concealed}`);
}
