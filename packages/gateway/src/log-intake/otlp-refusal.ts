import type { RefusedLine } from './log-line.ts';
import { LineRefused } from './otlp-attributes.ts';
import { refusedLine } from './take-logs.ts';

/** A line, or why it is left out. */
export function orRefused<Line>(lineOf: () => Line): Line | RefusedLine {
  try {
    return lineOf();
  } catch (error) {
    if (error instanceof LineRefused) return refusedLine(error.message);
    throw error;
  }
}
