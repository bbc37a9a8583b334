import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What came of the tests of one client when they last ran for the page. */
export interface ClientResult {
  readonly name: string;
  readonly version: string;
  readonly scenarios: readonly ScenarioResult[];
}

export interface ScenarioResult {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
}

/** Written by `npm run docs:compatibility`, never by hand. */
export const resultsFile = join(import.meta.dirname, 'results.json');

export function readResults(): readonly ClientResult[] {
  return JSON.parse(readFileSync(resultsFile, 'utf8')) as readonly ClientResult[];
}
