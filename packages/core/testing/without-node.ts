import { Worker } from 'node:worker_threads';

/**
 * Imports modules where there is nothing of Node, as in a browser, and returns what the function makes of them, or the
 * error as text. The function is given as source text.
 */
export async function importedWithoutNode(urls: readonly URL[], use: string): Promise<unknown> {
  const program = `
    const { parentPort } = require('node:worker_threads');
    const addresses = ${JSON.stringify(urls.map(({ href }) => href))};
    for (const name of ['process', 'Buffer', 'global']) delete globalThis[name];
    Promise.all(addresses.map((address) => import(address))).then(
      (modules) => parentPort.postMessage((${use})(...modules)),
      (error) => parentPort.postMessage(String(error)),
    );
  `;
  const worker = new Worker(program, { eval: true });
  const answer = await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await worker.terminate();
  return answer;
}
