/** The commands of the guides, typed into a terminal one after the other. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { systemEnvironment } from '@weir/core';
import { blocksOf } from './blocks.ts';
import { guidePages } from './guide-pages.ts';
import { PageRun } from './page-run.ts';
import { Terminal } from './terminal.ts';

const root = join(import.meta.dirname, '../../..');
const missing = ['curl', 'openssl', 'timeout'].find(
  (name) => spawnSync(name, ['--version']).error !== undefined,
);

for (const [page, options] of Object.entries(guidePages)) {
  test(`the commands of docs/${page} work`, {
    skip: missing === undefined ? false : `${missing} is not installed`,
    timeout: 600_000,
  }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-guide-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const cwd = join(folder, 'work');
    for (const made of [cwd, join(folder, 'home')]) mkdirSync(made);
    for (const name of ['bin', 'deploy']) symlinkSync(join(root, name), join(cwd, name));
    const text = readFileSync(join(root, 'docs', page), 'utf8');
    for (const block of blocksOf(text)) {
      // Samples with a name are files, as readers keep them.
      const name = /^# ([\w-]+\.yaml)\n/.exec(block.text)?.[1];
      if (name !== undefined) writeFileSync(join(cwd, name), block.text);
    }
    const environment = {
      PATH: `${join(root, 'bin')}:${dirname(process.execPath)}:${systemEnvironment.PATH}`,
      HOME: join(folder, 'home'),
      SERVICE_KAFKA_PORT: '0',
      SERVICE_HTTP_PORT: '0',
      SERVICE_CONSOLE_PORT: '0',
      SERVICE_SCHEMA_REGISTRY_PORT: '0',
      SERVICE_AVAILABILITY_ZONE: 'here',
      SERVICE_BIND_ADDRESS: '127.0.0.1',
    };
    const terminal = new Terminal({ cwd, environment, folder });
    t.after(() => terminal.close());
    await new PageRun({ text, replaced: [], ...options }, terminal).runBlocks(t);
  });
}
