import type { Readable } from 'node:stream';
import { cliLimits } from '../../limits.ts';

/** Calls `pass` with each line of a stream, without its line end. A line beyond the limit is forwarded in pieces. */
export function passLines(stream: Readable, pass: (line: string) => void): void {
  let begun = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (begun + text).split('\n');
    begun = lines.pop()!;
    for (const line of lines) if (line !== '') pass(line);
    if (begun.length < cliLimits.passedLineCharactersMax) return;
    pass(begun);
    begun = '';
  });
  stream.on('end', () => {
    if (begun !== '') pass(begun);
  });
}
