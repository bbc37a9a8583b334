/** Rules about topics that forms check before they send; without the schemas, which are large. */

/** As in Apache Kafka. */
export const topicNamePattern = /^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}$/;
export const topicNameRule = 'is not 1 to 249 letters, digits, dots, underscores and hyphens';

/** The part of a config's definition that says which texts it takes. */
interface ConfigRule {
  readonly type: 'boolean' | 'string' | 'int' | 'long' | 'double' | 'list';
  /** Completes the sentence "must be …". */
  readonly rule: string;
  /** All words that it takes, if they are known. */
  readonly words: readonly string[] | null;
  /** Text, because not every 64-bit integer is a number here. */
  readonly minimum: string | null;
  readonly maximum: string | null;
}

/**
 * Returns what is wrong with the text of a config; `undefined` if nothing is, or if only the service can say, as for
 * lists of free words.
 */
export function configProblem(definition: ConfigRule, text: string): string | undefined {
  return isAllowed(definition, text) ? undefined : `must be ${definition.rule}`;
}

function isAllowed({ type, words, minimum, maximum }: ConfigRule, text: string): boolean {
  const trimmed = text.trim();
  if (type === 'boolean') return (words ?? ['true', 'false']).includes(trimmed.toLowerCase());
  if (type === 'string') return words === null || words.includes(trimmed);
  if (type === 'list') {
    if (words === null || trimmed === '') return true;
    return text.split(',').every((word) => words.includes(word.trim()));
  }
  if (type === 'double') {
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return false;
    return Number(trimmed) >= Number(minimum) && Number(trimmed) <= Number(maximum);
  }
  if (!/^[+-]?\d{1,19}$/.test(trimmed)) return false;
  const value = BigInt(trimmed.replace(/^\+/, ''));
  return value >= BigInt(minimum!) && value <= BigInt(maximum!);
}
