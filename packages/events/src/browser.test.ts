import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

/** The console imports the package, and a browser has none of these. */
const program = `
  const { parentPort } = require('node:worker_threads');
  const addresses = ${JSON.stringify(['./index.ts', './filter/compile.ts'].map((path) => new URL(path, import.meta.url).href))};
  for (const name of ['process', 'Buffer', 'global']) delete globalThis[name];
  Promise.all(addresses.map((address) => import(address))).then(
    ([{ parseFilter, presets }, { compileFilter }]) => {
      const { filter } = parseFilter(presets[0].filter);
      parentPort.postMessage(compileFilter(filter)({ data: { log_level: "warn" } }));
    },
    (error) => parentPort.postMessage(String(error)),
  );
`;

test('the package loads without Node', async () => {
  const worker = new Worker(program, { eval: true });
  const answer = await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await worker.terminate();
  assert.equal(answer, true);
});

test('the filter language and the definitions import nothing of Node', () => {
  const files = globSync(['*.ts', 'filter/*.ts'], { cwd: import.meta.dirname, exclude: ['**/*.test.ts'] });
  assert.ok(files.length > 20);
  const importing = files.filter((name) =>
    /'node:/.test(readFileSync(`${import.meta.dirname}/${name}`, 'utf8')),
  );
  assert.deepEqual(importing, []);
});
