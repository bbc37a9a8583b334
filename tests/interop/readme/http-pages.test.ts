import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemEnvironment } from '@weir/core';
import { startLocal } from '../brokers/weir-process.ts';
import { blocksOf } from './blocks.ts';
import { httpPages } from './http-page-names.ts';

const docs = join(import.meta.dirname, '../../../docs');
const missing = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed';

/** Ends at the first call that is refused, and prints it. Examples of the reference read what the first call writes. */
const beginning = `
curl() { command curl --fail-with-body --silent --show-error "$@" || { echo "refused: curl $*" >&2; exit 1; }; }
curl localhost:8080/v1/kafka/produce -d '{"topics":[{"topic":"orders","partitions":[{"records":[{"value":"aGVsbG8="}]}]}]}'
`;

/** It takes an instance that reads nothing else, and the examples before it have assigned partitions. */
const readsOneTopic = /\/instances\/one\/topics\//;
const unsubscribe = 'curl -X DELETE localhost:8080/consumers/billing/instances/one/subscription';

for (const [page, callsMin] of httpPages) {
  test(`every call in docs/${page} is answered`, { skip: missing, timeout: 180_000 }, async (t) => {
    const weir = await startLocal(t);
    const home = mkdtempSync(join(tmpdir(), 'weir-pages-'));
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const lines = blocksOf(readFileSync(join(docs, page), 'utf8'))
      .filter(({ language, notRun }) => language === 'sh' && notRun === undefined)
      .flatMap(({ text }) => text.split('\n'))
      .filter((line) => /^(?:curl |\w+=)/.test(line));
    const calls = lines.filter((line) => line.startsWith('curl '));
    assert.ok(calls.length >= callsMin, `${calls.length} calls`);
    const host = weir.address('HTTP').replace(/^https?:\/\//, '');
    const script = [
      beginning,
      ...lines.map((line) => (readsOneTopic.test(line) ? `${unsubscribe}\n${line}` : line)),
    ]
      .join('\n')
      .replaceAll('localhost:8080', host)
      .replaceAll('/tmp/', `${home}/`);
    const { status, error } = await runShell(script);
    assert.equal(status, 0, error);
  });
}

/** What the calls print is not kept: some of them download for a while. */
async function runShell(script: string): Promise<{ status: number | null; error: string }> {
  const { PATH, HOME } = systemEnvironment;
  const child = spawn('sh', ['-c', script], { env: { PATH, HOME }, stdio: ['ignore', 'ignore', 'pipe'] });
  let error = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text;
  });
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, error };
}
