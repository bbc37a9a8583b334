import type { FlagRow } from './flags/row.ts';
import { concealed } from './values/conceal.ts';

/** Why a command line is rejected. It prints as one line: `-batchMaxSizeBytes=200MiB: at most 128MiB is allowed`. */
export interface Problem {
  /** The flag or the variable as the user spelled it, with its value if that can be shown. */
  readonly subject?: string;
  /** The rule that was broken. */
  readonly rule: string;
}

export function problemLine({ subject, rule }: Problem): string {
  return subject === undefined ? rule : `${subject}: ${rule}`;
}

const shownLengthMax = 120;

/** A setting for display: without secrets, on one line. */
export function shownSetting(row: FlagRow, spelling: string, text: string): string {
  return `${spelling}=${shownText(row, text)}`;
}

/** A value for display. */
export function shownText(row: FlagRow, text: string): string {
  // An empty secret is no secret, and the user needs to know that it is empty.
  if (row.secret === true) return text === '' ? '' : concealed;
  return onOneLine(row.type.conceal === undefined ? text : row.type.conceal(text));
}

/** Escapes characters that would break or recolour the line. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1);
    // JSON does not escape the upper control characters (C1), one of which begins a terminal sequence.
    return escaped === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : escaped;
  });
}

/** Escapes characters that would break or recolour the line, and truncates long text. */
export function onOneLine(text: string): string {
  const escaped = escapeControls(text);
  return escaped.length > shownLengthMax ? `${escaped.slice(0, shownLengthMax)}…` : escaped;
}
