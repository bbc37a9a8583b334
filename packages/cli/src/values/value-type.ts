import type { Outcome } from '../outcome.ts';

/**
 * One kind of value that a flag can take: how its text is read, printed and explained.
 *
 * `parse(print(value))` gives the value back. A problem is the end of a sentence that starts with the flag and the
 * text, and never repeats the text, because the text may be a secret.
 */
export interface ValueType<Value> {
  /** One or two words that help shows in place of a value: `bytes`, `list of zone`. */
  readonly label: string;

  /** How the kind is written, in Markdown, for the reference page. Kinds that are plain text need none. */
  readonly syntax?: string;

  /** The kind of the items, when this is a list. */
  readonly item?: ValueType<unknown>;

  /** What the kind admits, when that is less than the label promises: `1MiB to 128MiB`. */
  readonly allowed?: string | undefined;

  /** What an explicitly empty text means. Kinds without it have no empty value. */
  readonly empty?: Value;

  /** The text that a flag without a value stands for. Only such a flag may be written without one. */
  readonly impliedText?: string;

  parse(text: string): Outcome<Value, string>;
  print(value: Value): string;

  /** Hides what is secret inside a text of this kind, well formed or not. */
  conceal?(text: string): string;
}
