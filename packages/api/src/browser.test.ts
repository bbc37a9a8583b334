import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

/** The console imports the package, and a browser has none of these. */
const program = `
  const { parentPort } = require('node:worker_threads');
  const address = ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
  for (const name of ['process', 'Buffer', 'global']) delete globalThis[name];
  import(address).then(
    (api) => parentPort.postMessage(api.operations.length),
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
  assert.equal(typeof answer, 'number', String(answer));
});
