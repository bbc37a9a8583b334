/**
 * Makes a release, twice, and installs each artefact as its documentation says: from nothing to a record that was
 * produced and fetched.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, verify } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Environment, release, systemEnvironment } from '@weir/core';
import { filesOfTar } from '../../../../scripts/release/tar.ts';
import { writeFromGuide } from '../../embedded/guide.ts';
import { freshEnvironment } from '../../fresh-environment.ts';
import { blocksOf } from '../../readme/blocks.ts';
import { PageRun, type Replaced } from '../../readme/page-run.ts';
import { Terminal } from '../../readme/terminal.ts';
import { freePort } from '../../s3/server.ts';
import { msToFirstRecord } from './first-record.ts';
import { firstRecord, installChapters, unrunCommands } from './installation-pages.ts';
import {
  artefact,
  makeRelease,
  names,
  out,
  platform,
  scratch,
  signKey,
  skip,
  source,
} from './made-release.ts';
// Tests of the image and of the Debian package, which need root.
import './debian.ts';

/** Programs of the system, without the Node that may be among them. */
function systemPrograms(): string {
  const folder = join(scratch, 'programs');
  if (existsSync(folder)) return folder;
  mkdirSync(folder);
  for (const name of ['sh', 'readlink', 'nproc', 'dirname', 'cat', 'env', 'tar', 'gzip', 'ln'])
    execFileSync('ln', [
      '-s',
      execFileSync('which', [name], { encoding: 'utf8' }).trim(),
      join(folder, name),
    ]);
  return folder;
}

/** Follows chapters of a page in a terminal of this system, in a folder with the artefacts. */
async function followHere(
  t: TestContext,
  page: Omit<ConstructorParameters<typeof PageRun>[0], 'replaced'> & {
    readonly replaced?: readonly Replaced[];
  },
  environment: Environment,
): Promise<void> {
  const folder = mkdtempSync(join(scratch, 'here-'));
  const [cwd, home] = ['a folder', 'home'].map((name) => join(folder, name));
  for (const made of [cwd!, home!]) mkdirSync(made);
  for (const name of [names.npm, names.archive]) linkSync(artefact(name), join(cwd!, name));
  const ports = ['KAFKA', 'HTTP', 'CONSOLE', 'SCHEMA_REGISTRY'].map((name) => [`SERVICE_${name}_PORT`, '0']);
  const terminal = new Terminal({
    cwd: cwd!,
    environment: { ...freshEnvironment(home!), ...Object.fromEntries(ports), ...environment },
    folder,
  });
  t.after(() => terminal.close());
  await new PageRun({ replaced: [], ...page }, terminal).runBlocks(t);
}

/** A folder to which npm installs globally, and the environment in which its commands are found. */
function globalFolder(name: string): { readonly prefix: string; readonly environment: Environment } {
  const prefix = join(scratch, name);
  const environment = {
    PATH: `${prefix}/bin:${freshEnvironment('').PATH}`,
    npm_config_prefix: prefix,
    // A package that needs a script at its installation would not work where they are off.
    npm_config_ignore_scripts: 'true',
    // npx asks before it fetches.
    npm_config_yes: 'true',
  };
  return { prefix, environment };
}

const megabytesBelow = (folder: string): number =>
  Number(execFileSync('du', ['-s', '--block-size=1M', folder], { encoding: 'utf8' }).split('\t')[0]);

test('two builds have the same bytes, whatever the machine is set to', { skip }, () => {
  const again = join(scratch, 'two');
  makeRelease(again, [], {
    TZ: 'Pacific/Auckland',
    LANG: 'tr_TR.UTF-8',
    SOURCE_DATE_EPOCH: '1',
    XZ_OPT: '-0',
  });
  const sums = (folder: string) =>
    readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
      .split('\n')
      // One is signed, the other is not.
      .filter((line) => !line.endsWith('.intoto.jsonl'));
  assert.deepEqual(sums(again), sums(out));
  rmSync(again, { recursive: true });
});

test('checksums name every artefact, and the provenance has those and a signature', { skip }, () => {
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out });
  const summed = readFileSync(artefact('SHA256SUMS'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('  ')[1]);
  assert.deepEqual(
    summed.toSorted(),
    readdirSync(out)
      .filter((name) => name !== 'SHA256SUMS')
      .sort(),
  );
  const envelope = JSON.parse(readFileSync(artefact(names.provenance), 'utf8'));
  const payload = Buffer.from(envelope.payload, 'base64');
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${payload.length} `),
    payload,
  ]);
  assert.ok(verify(null, signed, signKey.publicKey, Buffer.from(envelope.signatures[0].sig, 'base64')));
  const statement = JSON.parse(payload.toString());
  for (const { name, digest } of statement.subject)
    assert.equal(
      digest.sha256,
      createHash('sha256')
        .update(readFileSync(artefact(name)))
        .digest('hex'),
      name,
    );
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: source, encoding: 'utf8' }).trim();
  assert.equal(statement.predicate.buildDefinition.resolvedDependencies[0].digest.gitCommit, commit);
});

test('the bill of materials has every package that is in the archive', { skip }, () => {
  const bill = JSON.parse(readFileSync(artefact(names.materials), 'utf8'));
  assert.equal(bill.specVersion, '1.6');
  const components = new Set(
    bill.components.map(({ name, version }: Record<string, string>) => `${name}@${version}`),
  );
  const manifests = filesOfTar(readFileSync(artefact(names.archive))).filter(({ path }) =>
    /\/node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path),
  );
  assert.ok(manifests.length > 8);
  for (const file of manifests) {
    if (!('bytes' in file)) continue;
    const { name, version } = JSON.parse(Buffer.from(file.bytes).toString());
    assert.ok(components.has(`${name}@${version}`), `${name}@${version}`);
  }
  // What the documentation site has in its scripts says so there.
  const banners = filesOfTar(readFileSync(artefact(names.archive)))
    .filter(({ path }) => /\/site\/assets\/.*\.js$/.test(path))
    .flatMap((file) => ('bytes' in file ? Buffer.from(file.bytes).toString() : ''))
    .flatMap((text) => [...text.matchAll(/^ *\/?\*+ *([\w@/.-]+) v?(\d+\.\d+\.\d+)$/gm)])
    .map(([, name, version]) => `${name}@${version}`);
  assert.ok(banners.length > 4, banners.join());
  const ofSite = ['vue', 'vitepress', 'minisearch', 'mark.js', '@vueuse/core'].map((name) => `${name}@`);
  for (const one of [...banners, ...ofSite])
    assert.ok(
      [...components].some((component) => String(component).startsWith(one)),
      one,
    );
  const { devDependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  for (const name of Object.keys(devDependencies))
    assert.ok(![...components].some((one) => String(one).startsWith(`${name}@`)), `${name} is a tool`);
});

test('every command of docs/start/install.md is run by a test, or says why not', () => {
  assert.deepEqual(unrunCommands(), []);
});

test('npm install -g, from the tarball, as docs/start/install.md says', { skip }, async (t) => {
  const { prefix, environment } = globalFolder('prefix');
  const chapters = installChapters('npm', 'A first record');
  // It is followed by a test of its own.
  const text = chapters.replace(fenced(npxBlock()), '');
  await followHere(t, { text, expected: firstRecord }, environment);
  const installed = join(prefix, 'lib/node_modules/weir');
  const runtime = readdirSync(join(installed, 'node_modules')).filter((name) => /^node-/.test(name));
  assert.equal(runtime.length, 1, 'one Node');
  const beside = megabytesBelow(prefix) - megabytesBelow(join(installed, 'node_modules', runtime[0]!));
  assert.ok(beside <= 60, `${beside} MB beside Node`);
  assert.ok(!existsSync(join(installed, 'node_modules/@duckdb')));
});

/** As it is published: with versions. */
function publishedReadme(): string {
  const file = filesOfTar(readFileSync(artefact(names.npm))).find(({ path }) => path === 'package/README.md');
  assert.ok(file !== undefined && 'bytes' in file);
  return Buffer.from(file.bytes).toString();
}

test('the README of the package for npm, from top to bottom', { skip }, async (t) => {
  const { prefix, environment } = globalFolder('prefix-of-readme');
  const page = {
    text: publishedReadme(),
    // The name of a published package stands for the tarball.
    replaced: [
      ['npx weir ', `npx --package=./${names.npm} -- weir `],
      ['npm install -g weir', `npm install -g ./${names.npm}`],
    ] as const,
    expected: [...firstRecord, ['@duckdb/node-api@', /packages? in/] as const],
    hasOneServerAtATime: true,
  };
  await followHere(t, page, environment);
  assert.ok(existsSync(join(prefix, 'lib/node_modules/@duckdb/node-api')));
});

/** The block of docs/start/install.md that runs the package without an installation. */
const npxBlock = () => blocksOf(installChapters('npm')).find(({ text }) => text.startsWith('npx '))!.text;

const fenced = (text: string) => `\`\`\`sh\n${text}\`\`\``;

test('npx, from the tarball, as docs/start/install.md says', { skip }, async (t) => {
  const { prefix, environment } = globalFolder('prefix-of-npx');
  await followHere(t, { text: fenced(npxBlock()), expected: [['weir cli fetch', /one order/]] }, environment);
  assert.ok(!existsSync(join(prefix, 'bin/weir')), 'it was not installed');
  const home = mkdtempSync(join(scratch, 'npx-'));
  writeFileSync(join(home, 'package.json'), '{}');
  const env = { ...systemEnvironment, HOME: home, npm_config_cache: join(home, 'cache') };
  const npx = (...command: string[]) => ['--yes', `--package=${artefact(names.npm)}`, '--', ...command];
  execFileSync('npx', npx('weir', 'version'), { cwd: home, env, stdio: 'ignore' });
  // Measured and not asserted: the machine may be busy.
  const times: number[] = [];
  for (let run = 0; run < 5; run++) {
    const port = await freePort();
    const ports = [
      '-kafkaPort',
      `${port}`,
      '-httpPort',
      '0',
      '-consolePort',
      '0',
      '-schemaRegistryPort',
      '0',
    ];
    const started = { command: 'npx', args: npx('weir', 'local', ...ports), cwd: home, env, port };
    times.push(Math.round(await msToFirstRecord(started)));
  }
  t.diagnostic(`warm, from npx to the first record: ${times.join(', ')} ms`);
});

/** The newest releases at the last update. TypeScript reads the declarations. */
const testRunners = ['vitest@4.1.12', 'jest@30.5.2', 'typescript@5.9.3', '@types/node@24.19.2'];

test('weir/testing in an empty project: node:test, vitest, jest and declarations', { skip }, () => {
  const project = mkdtempSync(join(scratch, 'project-'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  const run = (command: string, ...args: string[]) => {
    const ran = spawnSync(command, args, {
      cwd: project,
      // npm run hands on the settings of this clone, which are those of a product.
      env: {
        ...systemEnvironment,
        NODE_ENV: undefined,
        NODE_OPTIONS: undefined,
        NODE_TEST_CONTEXT: undefined,
      },
      encoding: 'utf8',
      timeout: 300_000,
    });
    assert.equal(ran.status, 0, `${ran.error ?? ''}${ran.stdout}${ran.stderr}`);
    return `${ran.stdout}${ran.stderr}`;
  };
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  run('npm', 'install', '--save-dev', '--include=dev', ...quiet, artefact(names.npm), ...testRunners);
  const written = writeFromGuide(project, 'JavaScript');
  const own = written.filter((name) => name.endsWith('.test.js'));
  assert.match(run(process.execPath, '--test', '--test-reporter=tap', ...own), /^# pass 2$/m);
  const program = (name: string) => join(project, 'node_modules/.bin', name);
  assert.match(run(program('vitest'), 'run', '--no-color'), /Tests +1 passed/);
  assert.match(run(program('jest'), '--no-color'), /Tests: +1 passed/);
  const typed = [
    "import { startCluster, type TestCluster, useCluster } from 'weir/testing';",
    "import { setup } from 'weir/testing/vitest';",
    "import jestSetup from 'weir/testing/jest-setup';",
    "export const cluster: TestCluster = await startCluster({ runs: 'here', topics: ['a'] });",
    'export const all: readonly unknown[] = [useCluster, setup, jestSetup];',
    '// @ts-expect-error: a place that there is not',
    "await startCluster({ runs: 'elsewhere' });",
  ];
  const shown = blocksOf(publishedReadme()).find(({ language }) => language === 'js')!.text;
  writeFileSync(join(project, 'readme.js'), `${shown}console.log(cluster.bootstrapServers);\n`);
  assert.match(run(process.execPath, 'readme.js'), /:\d+\n$/);
  writeFileSync(join(project, 'typed.ts'), typed.join('\n'));
  const settings = ['--module', 'nodenext', '--target', 'esnext', '--strict', '--noEmit', '--types', 'node'];
  run(program('tsc'), ...settings, 'typed.ts');
});

test('the archive, unpacked anywhere, without a Node on the machine', { skip }, async (t) => {
  const bin = join(scratch, 'bin');
  mkdirSync(bin);
  await followHere(
    t,
    {
      text: installChapters('Archive', 'A first record'),
      replaced: [['/usr/local/bin/', `${bin}/`]],
      expected: firstRecord,
    },
    { PATH: `${bin}:${systemPrograms()}` },
  );
});

test('an installation without Node says so in one line, and takes a Node 24 that is there', { skip }, () => {
  execFileSync('tar', ['-xzf', artefact(names.archive), '-C', scratch]);
  const installed = join(scratch, `weir-${release}-${platform.name}`);
  const node = join(installed, 'runtime/bin/node');
  const away = join(installed, 'node');
  execFileSync('mv', [node, away]);
  const run = (PATH: string) =>
    spawnSync(join(installed, 'bin/weir'), ['version'], { env: { PATH }, encoding: 'utf8' });
  assert.match(run(systemPrograms()).stderr, /^weir: this installation has no Node for this platform; .*\n$/);
  const old = join(scratch, 'old');
  mkdirSync(old);
  writeFileSync(join(old, 'node'), '#!/bin/sh\necho v22.1.0\n');
  chmodSync(join(old, 'node'), 0o755);
  assert.equal(run(`${old}:${systemPrograms()}`).status, 1);
  assert.equal(run(`${installed}:${systemPrograms()}`).stdout, `weir ${release}\n`);
  execFileSync('mv', [away, node]);
});
