/** What docs/guides/testing.md shows for other languages, each run by its own test runner beside `weir` in the PATH. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemEnvironment } from '@weir/core';
import { buildJava, shortLivedJava } from '../apache/build.ts';
import { missingTool } from '../apache/tools.ts';
import { startWeir } from '../brokers/weir-process.ts';
import { buildGo } from '../go/programs.ts';
import { pythonWith } from '../python/venv.ts';
import { unnamedBlocks, writeFromGuide } from './guide.ts';

const root = join(import.meta.dirname, '../../..');
const scratch = mkdtempSync(join(tmpdir(), 'weir-guide-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

function folderFor(name: string): string {
  const folder = join(scratch, name);
  mkdirSync(folder);
  return folder;
}

/** Runs a command with `weir` in the PATH, and returns its output. */
function run(command: string, args: readonly string[], cwd: string): string {
  const ran = spawnSync(command, args, {
    cwd,
    env: {
      ...systemEnvironment,
      PATH: `${join(root, 'bin')}:${systemEnvironment.PATH}`,
      GOTOOLCHAIN: 'local',
    },
    encoding: 'utf8',
    timeout: 300_000,
  });
  assert.equal(ran.status, 0, `${ran.error ?? ''}${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

test('every block of the guide is a file, so that some test runs it', () => {
  assert.deepEqual(unnamedBlocks(), []);
});

const { missing: missingPython, python } = pythonWith('pytest');

test('pytest', { skip: missingPython }, () => {
  const folder = folderFor('python');
  writeFromGuide(folder, 'Python');
  const said = run(python!, ['-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'], folder);
  assert.match(said, /1 passed/);
});

test('go test', { skip: buildGo('franz-go').missing }, () => {
  const folder = folderFor('go');
  writeFromGuide(folder, 'Go');
  for (const name of ['go.mod', 'go.sum'])
    copyFileSync(join(import.meta.dirname, '../go', name), join(folder, name));
  assert.match(run('go', ['test', '-v', '.'], folder), /--- PASS: TestARecordIsRead/);
});

/** Built in a folder that lasts, so that Maven runs only after a change. */
function javaClasses(): string {
  const home = join(root, 'node_modules/.cache/weir-testing-guide');
  const sources = join(home, 'src/main/java');
  mkdirSync(sources, { recursive: true });
  writeFromGuide(sources, 'Java');
  copyFileSync(join(import.meta.dirname, 'PrintCommand.java'), join(sources, 'PrintCommand.java'));
  copyFileSync(join(import.meta.dirname, 'pom.xml'), join(home, 'pom.xml'));
  return buildJava(home);
}

test('JUnit', { skip: missingTool() }, () => {
  const classPath = javaClasses();
  const launcher = 'org.junit.platform.console.ConsoleLauncher';
  const args = [...shortLivedJava, '-cp', classPath, launcher, 'execute', '--select-class=OrdersTest'];
  assert.match(run('java', args, folderFor('java')), /1 tests successful/);
});

test('what the container of Testcontainers runs is a cluster at the address that it advertises', {
  skip: missingTool(),
}, async () => {
  const args = [...shortLivedJava, '-cp', javaClasses(), 'PrintCommand'];
  const words = run('java', args, scratch).trim().split('\n');
  // Ports that are fixed in a container are free ones here, and the address is the one that tests may listen on.
  const onLoopback = words.map((word, at) =>
    words[at - 1] === '-schemaRegistryPort' ? '0' : word === '0.0.0.0' ? '127.0.0.1' : word,
  );
  const weir = await startWeir([...onLoopback, '-httpPort', '0', '-consolePort', '0'], ['Kafka', 'registry']);
  try {
    assert.match(weir.address('Kafka'), /^localhost:\d+$/);
    assert.equal((await fetch(`${weir.address('registry')}/subjects`)).status, 200);
  } finally {
    await weir.stop();
  }
});
