import { styleText } from 'node:util';
import type { Environment } from '@weir/core';

const formats = { bad: 'red', doubtful: 'yellow', good: 'green' } as const;

/** What a colour says. */
export type Tone = keyof typeof formats;

/** Whether a stream gets colours. `FORCE_COLOR` goes before `NO_COLOR`, as in Node. */
export function hasColours({ FORCE_COLOR, NO_COLOR, TERM }: Environment, isTerminal: boolean): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  return isTerminal && TERM !== 'dumb';
}

export function styled(text: string, tone: Tone | undefined, isOn: boolean | undefined): string {
  return isOn !== true || tone === undefined
    ? text
    : styleText(formats[tone], text, { validateStream: false });
}

/** Colours the lines of a diff or of a plan by their first sign. */
export function styledDiff(text: string, isOn: boolean | undefined): string {
  if (isOn !== true) return text;
  return text
    .split('\n')
    .map((line) => styled(line, toneOfDiffLine(line), isOn))
    .join('\n');
}

function toneOfDiffLine(line: string): Tone | undefined {
  const [, sign] = /^\s*([+~-])(?![+-])/.exec(line) ?? [];
  if (sign === undefined) return undefined;
  if (sign === '~') return 'doubtful';
  return sign === '+' ? 'good' : 'bad';
}
