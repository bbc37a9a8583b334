import { conciseText } from './concise-text.ts';
import { fitted } from './fit.ts';

type Fields = Readonly<Record<string, unknown>>;

export type AnswerFormat = 'concise' | 'detailed';

/** The answer of a tool, as fields and as text. */
export interface ToolAnswer {
  readonly fields: Fields;
  readonly text: string;
}

/** Fields at the end of every answer. */
interface AnswerTail {
  readonly truncated: boolean;
  readonly next_cursor: string | null;
  readonly hint?: string | undefined;
  readonly console_url: string;
}

export interface AnswerOptions {
  readonly format: AnswerFormat;
  readonly tokensMax: number;
}

const cutHint = 'The answer was too long and is cut; ask for less, or set max_tokens.';

/** Combines fields and tail into one answer within the token limit. */
export function answerOf(fields: Fields, tail: AnswerTail, { format, tokensMax }: AnswerOptions): ToolAnswer {
  const { answer: fittedAnswer, isCut } = fitted(fields, tokensMax);
  const hint = isCut ? [tail.hint, cutHint].filter(Boolean).join(' ') : tail.hint;
  const { next_cursor, console_url } = tail;
  const all = {
    ...fittedAnswer,
    truncated: tail.truncated || isCut,
    next_cursor,
    ...(hint === undefined ? {} : { hint }),
    console_url,
  };
  return { fields: all, text: format === 'detailed' ? JSON.stringify(all) : conciseText(all) };
}
