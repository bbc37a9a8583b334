import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import { type TestedClient, testedClients } from './clients.ts';
import { type ClientResult, readResults, resultsFile, type ScenarioResult } from './results.ts';
import { completeness } from './scenario-program.ts';

/**
 * Runs the tests of every client and writes results.json and the page.
 *
 *     npm run docs:compatibility                   tests all of them
 *     npm run docs:compatibility -- franz-go       tests one, and keeps the recorded results of the others
 *
 * Fails, and writes nothing, when a scenario fails or is skipped: the page lists only tested clients.
 */
const interop = join(import.meta.dirname, '..');

interface TestEvent {
  readonly name: string;
  readonly file?: string;
  readonly skip?: string | boolean;
  readonly details: { readonly type?: string };
}

async function tryClient({ name, version, files, only }: TestedClient): Promise<ClientResult> {
  const scenarios: ScenarioResult[] = [];
  // In sequence and in the order of the table, so that the page is the same after every run.
  for (const file of files) {
    const path = join(interop, file);
    for await (const { type, data } of run({ files: [path], concurrency: 1 })) {
      if (type !== 'test:pass' && type !== 'test:fail') continue;
      const event = data as unknown as TestEvent;
      if (event.details.type === 'suite' || (event.name === path && type === 'test:pass')) continue;
      if (only !== undefined && event.name !== path && !only.test(event.name)) continue;
      const isSkipped = event.skip !== undefined && event.skip !== false;
      const outcome = isSkipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
      const scenario = event.name.replace(new RegExp(`^${RegExp.escape(name)}:? `), '');
      if (scenario === completeness && outcome === 'passed') continue;
      process.stdout.write(`${name}: ${scenario}: ${outcome}${isSkipped ? ` (${event.skip})` : ''}\n`);
      scenarios.push({ name: scenario, outcome });
    }
  }
  return { name, version, scenarios };
}

const named = process.argv.slice(2);
const recordedOf = (name: string) => readResults().find((result) => result.name === name);
const results: ClientResult[] = [];
for (const client of testedClients) {
  const recorded = named.length === 0 || named.includes(client.name) ? undefined : recordedOf(client.name);
  results.push(recorded ?? (await tryClient(client)));
}
// The page must not depend on the machine that writes it.
const missed = results.filter(
  ({ scenarios }) => scenarios.length === 0 || scenarios.some(({ outcome }) => outcome !== 'passed'),
);
if (missed.length > 0) {
  process.stderr.write(`not written: ${missed.map(({ name }) => name).join(', ')} did not pass everything\n`);
  process.exitCode = 1;
} else {
  writeFileSync(resultsFile, `${JSON.stringify(results, undefined, 2)}\n`);
  const { status } = spawnSync(process.execPath, [join(interop, '../../scripts/docs.ts')], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
