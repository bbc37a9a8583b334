import type { Outcome } from '../outcome.ts';

/**
 * A value type of flags: how its text is parsed, printed and explained.
 *
 * `parse(print(value))` returns the value. A problem is the end of a sentence that starts with the flag and the text,
 * and never repeats the text, because the text may be a secret.
 */
export interface ValueType<Value> {
  /** One or two words that help shows in place of a value: `bytes`, `list of zone`. */
  readonly label: string;

  /** How the type is written, in Markdown, for the reference page. Types that are plain text need none. */
  readonly syntax?: string;

  /** The type of the items, if this is a list. */
  readonly item?: ValueType<unknown>;

  /** The text between its items, if this is a list. */
  readonly separator?: string;

  /** All values, if they are a few words. */
  readonly words?: readonly string[];

  /** What the type admits, if that is less than the label promises: `1MiB to 128MiB`. */
  readonly allowed?: string | undefined;

  /** The meaning of an explicitly empty text. Types without it have no empty value. */
  readonly empty?: Value;

  /** The text that a flag without a value stands for. Only such a flag may be written without one. */
  readonly impliedText?: string;

  parse(text: string): Outcome<Value, string>;

  /** Checks a value further, with code that is too large to be loaded by every command; returns the problem. */
  check?(value: Value): Promise<string | undefined>;

  print(value: Value): string;

  /** Hides secrets inside a text of this type, well formed or not. */
  conceal?(text: string): string;
}
