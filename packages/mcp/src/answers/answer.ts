import { conciseText } from './concise-text.ts';
import { fitted } from './fit.ts';

type Fields = Readonly<Record<string, unknown>>;

export type AnswerFormat = 'concise' | 'detailed';

/**
 * The answer of a tool, as fields and as text. Both are complete, because some clients hand a model only the one and
 * some only the other; the text is not the JSON of the fields, which takes several times the tokens.
 */
export interface ToolAnswer {
  readonly fields: Fields;
  readonly text: string;
}

/** Fields at the end of every answer. */
interface AnswerTail {
  /** Absent if nothing is left out. */
  readonly truncated?: boolean;
  /** Absent if there are no further rows. */
  readonly next_cursor?: string | null;
  readonly hint?: string | undefined;
  readonly console_url: string;
}

export interface AnswerOptions {
  readonly format: AnswerFormat;
  readonly max_tokens: number;
}

const cutHint = 'The result was too long and is truncated; ask for less, or set max_tokens.';

/** Combines fields and tail into one answer within the token limit. */
export function answerOf(fields: Fields, tail: AnswerTail, { max_tokens }: AnswerOptions): ToolAnswer {
  const { answer: fittedAnswer, isCut } = fitted(fields, max_tokens);
  const hint = isCut ? [tail.hint, cutHint].filter(Boolean).join(' ') : tail.hint;
  const { truncated = false, next_cursor = null, console_url } = tail;
  const all = {
    ...fittedAnswer,
    truncated: truncated || isCut,
    next_cursor,
    ...(hint === undefined ? {} : { hint }),
    console_url,
  };
  return { fields: all, text: conciseText(all) };
}
