/** A text as a value of a JAAS configuration. */
export function jaasValue(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** A text as a value of a `.properties` file, which Java reads as Latin-1. */
export function propertyValue(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll(
      /[^\x20-\x7e]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}

/** A text as a literal of Java, Go, JavaScript and Python, whose strings know the escapes of JSON; or an object. */
export function literal(value: string | object): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u00a0\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
