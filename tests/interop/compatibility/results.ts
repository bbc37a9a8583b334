import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Test results of one client from the last run for the page. */
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
