import { jsonInTurns } from '../http-data/request-body.ts';
import { pausePoint } from './log-line.ts';

/** Parses a body, between requests of others. */
export function* parsedJson(
  body: Buffer,
  options?: Parameters<typeof jsonInTurns>[1],
): Generator<typeof pausePoint, unknown, undefined> {
  const reading = jsonInTurns(body, options);
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
    yield pausePoint;
  }
}
