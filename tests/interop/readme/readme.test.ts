import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Environment, systemClock } from '@weir/core';
import { freshEnvironment } from '../fresh-environment.ts';
import { blocksOf } from './blocks.ts';
import { PageRun, type Replaced, type Shown } from './page-run.ts';
import { Terminal } from './terminal.ts';

const root = join(import.meta.dirname, '../../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const missing = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed';

/**
 * What each command of the page is there to show, as a pattern of its output. A block without any such command fails
 * the test. Outputs that the page itself shows are compared separately.
 */
const expected: readonly Shown[] = [
  ['weir cli fetch -topic orders -', /one order/],
  ['weir cli describe-topic -topic orders', /^orders\b/m],
  ['weir cli diagnose-connection\n', /brokers/],
  ['weir local -- ', /^testing with localhost:\d+$/m],
  ['weir cli register-schema', /^orders-value +1 +1$/m],
  ['weir cli check-schema', /^orders-value: compatible/m],
  ['/subjects/orders-value/versions/latest', /"subject":"orders-value","version":1,"id":1,/],
  ['weir cli events enable', /events enabled: .*acl_logs/],
  ['weir cli events search', /would have been denied WRITE of TOPIC orders/],
  ['weir cli mcp-config', /"mcpServers"/],
  ['weir cli clone-topic', /orders-debug/],
  ['weir cli fetch -topic orders-debug', /one order/],
  ['weir cli clone-cluster', /^vci_\w+ aks_\w+$/m],
  ['/api/v1/list_virtual_clusters', /"virtual_clusters":\[\{/],
  ['/api/v1/monitoring/prometheus/', /^# TYPE \w+/m],
  ['weir apply -f weir.yaml -dry-run', /Plan: 2 to create/],
  ['weir cli fetch -topic payments', /one payment/],
  ['weir cli storage-costs', /storage/i],
  ['weir cli create-acls', /alice/],
  ['weir cli who-may', /User:alice/],
  ['weir cli diagnose-connection -topic', /ACL/],
];

/** Copies the files of a fresh clone, with local changes. */
function copyRepository(target: string): void {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const paths = execFileSync('git', list, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  for (const path of paths.split('\0')) {
    if (path !== '' && existsSync(join(root, path))) cpSync(join(root, path), join(target, path));
  }
}

/** Weir's own Node is installed from npm's cache. */
function environmentOf(home: string): Environment {
  return {
    ...freshEnvironment(home),
    npm_config_prefer_offline: 'true',
    SERVICE_KAFKA_PORT: '0',
    SERVICE_HTTP_PORT: '0',
    SERVICE_CONSOLE_PORT: '0',
    SERVICE_SCHEMA_REGISTRY_PORT: '0',
  };
}

const pollMs = 100;
const completedWithinMs = 300_000;

test('the commands of the README work one after the other on a fresh clone', {
  skip: missing,
  timeout: 900_000,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-readme-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const clone = join(folder, 'clone');
  for (const made of [clone, join(folder, 'home'), join(folder, 'tmp')]) mkdirSync(made);
  copyRepository(clone);
  const terminal = new Terminal({ cwd: clone, environment: environmentOf(join(folder, 'home')), folder });
  t.after(() => terminal.close());

  for (const block of blocksOf(readme))
    assert.match(block.language, /^(?:sh|console)$/, `line ${block.line}`);
  const replaced: Replaced[] = [['/tmp/', `${folder}/tmp/`]];
  await new PageRun({ text: readme, expected, replaced }, terminal).runBlocks(t);
  assert.ok(existsSync(join(clone, 'node_modules/.bin/node')), 'it was installed');
  // What follows beside the cluster has the lowest priority.
  for (const made of ['dist/current.json', 'packages/console/dist/index.html'])
    for (let ms = 0; !existsSync(join(clone, made)); ms += pollMs) {
      assert.ok(ms < completedWithinMs, `${made} was made beside the cluster`);
      await new Promise<void>((resolve) => systemClock.after(pollMs, resolve));
    }
  assert.ok(!existsSync(join(clone, 'node_modules/typescript')), 'without the tools of contributors');
});
