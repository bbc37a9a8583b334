import type { FlagRow } from './flags/row.ts';
import { concealed } from './values/conceal.ts';

/** Why a command line is refused. It prints as one line: `-batchMaxSizeBytes=200MiB: at most 128MiB is allowed`. */
export interface Problem {
  /** The flag or the variable as the user spelled it, with its value where there is one to show. */
  readonly subject?: string;
  /** The rule that was broken. */
  readonly rule: string;
}

export function problemLine({ subject, rule }: Problem): string {
  return subject === undefined ? rule : `${subject}: ${rule}`;
}

const shownLengthMax = 120;

/** A setting as it may be shown: never a secret, never more than a line. */
export function shownSetting(row: FlagRow, spelling: string, text: string): string {
  return `${spelling}=${shownText(row, text)}`;
}

/** A value as it may be shown. */
export function shownText(row: FlagRow, text: string): string {
  // An empty secret is no secret, and that it is empty is what the user needs to know.
  if (row.secret === true) return text === '' ? '' : concealed;
  return onOneLine(row.type.conceal === undefined ? text : row.type.conceal(text));
}

/** Escapes what would break or recolour the line. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1);
    // JSON lets the upper control characters through, among which one begins a terminal sequence.
    return escaped === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : escaped;
  });
}

/** Escapes what would break or recolour the line, and cuts what would flood it. */
export function onOneLine(text: string): string {
  const escaped = escapeControls(text);
  return escaped.length > shownLengthMax ? `${escaped.slice(0, shownLengthMax)}…` : escaped;
}
