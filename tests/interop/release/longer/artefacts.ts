/**
 * Makes a release, twice, and installs each artefact as its documentation says: from nothing to a record that was
 * produced and fetched.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { release, systemEnvironment } from '@weir/core';
import { packageVersion } from '../../../../scripts/release/npm-package.ts';
import { platforms } from '../../../../scripts/release/platforms.ts';
import { filesOfTar } from '../../../../scripts/release/tar.ts';
import { missingPackage } from '../../debian-package.ts';
import { writeFromGuide } from '../../embedded/guide.ts';
import { freePort } from '../../s3/server.ts';
import { msToFirstRecord } from './first-record.ts';
import { fixedSource } from './fixed-source.ts';
import { hasProgram, missingNamespaces, runIsolated } from './isolated-root.ts';
import { unpackImage } from './unpacked-image.ts';

const scratch = mkdtempSync(join(tmpdir(), 'weir-release-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const platform = platforms.find(({ os, cpu }) => os === process.platform && cpu === process.arch);
const skip = platform === undefined ? `no release for ${process.platform}-${process.arch}` : false;
const { name: platformName, debianName, imageName } = platform ?? platforms[0]!;
const source = join(scratch, 'source');
const out = join(scratch, 'one');
const artefact = (name: string) => join(out, name);
const archiveName = `weir-${release}-${platformName}.tar.gz`;
const packageName = `weir-${packageVersion}.tgz`;
const debianPackageName = `weir_${packageVersion}_${debianName}.deb`;
const imageTarName = `weir-${release}-${platformName}.oci.tar`;

const signKey = generateKeyPairSync('ed25519');

function makeRelease(folder: string, options: readonly string[], environment: NodeJS.ProcessEnv): void {
  execFileSync(
    process.execPath,
    [join(source, 'scripts/release.ts'), '--platforms', platformName, '--out', folder, ...options],
    { cwd: scratch, env: { ...systemEnvironment, ...environment }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

before(() => {
  if (skip !== false) return;
  fixedSource(source);
  const keyPath = join(scratch, 'key.pem');
  writeFileSync(keyPath, signKey.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  makeRelease(out, ['--sign-key', keyPath], {});
});

const roundTrip = [
  'set -e',
  'weir cli create-topic -topic orders >/dev/null',
  "echo 'one order' | weir cli produce -topic orders >/dev/null",
  'weir cli fetch -topic orders -offset earliest -output json',
].join('\n');

/** Programs of the system, without the Node that may be among them. */
function systemPrograms(): string {
  const folder = join(scratch, 'programs');
  if (existsSync(folder)) return folder;
  mkdirSync(folder);
  for (const name of ['sh', 'readlink', 'nproc', 'dirname', 'cat', 'env'])
    execFileSync('ln', [
      '-s',
      execFileSync('which', [name], { encoding: 'utf8' }).trim(),
      join(folder, name),
    ]);
  return folder;
}

function assertProducesAndFetches(binFolder: string): void {
  const home = mkdtempSync(join(scratch, 'home-'));
  const { status, stdout, stderr } = spawnSync(
    join(binFolder, 'weir'),
    ['local', '--', 'sh', '-c', roundTrip],
    {
      cwd: home,
      env: { HOME: home, PATH: `${binFolder}:${systemPrograms()}` },
      encoding: 'utf8',
      timeout: 120_000,
    },
  );
  assert.equal(status, 0, stderr);
  assert.match(stdout, /one order/);
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
  const names = readFileSync(artefact('SHA256SUMS'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('  ')[1]);
  assert.deepEqual(
    names.toSorted(),
    readdirSync(out)
      .filter((name) => name !== 'SHA256SUMS')
      .sort(),
  );
  const envelope = JSON.parse(readFileSync(artefact(`weir-${release}.intoto.jsonl`), 'utf8'));
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
  const bill = JSON.parse(readFileSync(artefact(`weir-${release}-${platformName}.cdx.json`), 'utf8'));
  assert.equal(bill.specVersion, '1.6');
  const components = new Set(
    bill.components.map(({ name, version }: Record<string, string>) => `${name}@${version}`),
  );
  const manifests = filesOfTar(readFileSync(artefact(archiveName))).filter(({ path }) =>
    /\/node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path),
  );
  assert.ok(manifests.length > 8);
  for (const file of manifests) {
    if (!('bytes' in file)) continue;
    const { name, version } = JSON.parse(Buffer.from(file.bytes).toString());
    assert.ok(components.has(`${name}@${version}`), `${name}@${version}`);
  }
  const { devDependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  for (const name of Object.keys(devDependencies))
    assert.ok(![...components].some((one) => String(one).startsWith(`${name}@`)), `${name} is a tool`);
});

test('npm install -g, from the tarball', { skip }, () => {
  const prefix = join(scratch, 'prefix');
  const npm = (...args: string[]) =>
    execFileSync(
      'npm',
      ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', '--silent', ...args],
      {
        cwd: scratch,
        // A package that needs a script at its installation would not work where they are off.
        env: { ...systemEnvironment, npm_config_ignore_scripts: 'true' },
      },
    );
  npm(artefact(packageName));
  const installed = join(prefix, 'lib/node_modules/weir');
  const runtime = readdirSync(join(installed, 'node_modules')).filter((name) => /^node-/.test(name));
  assert.equal(runtime.length, 1, 'one Node');
  const beside = megabytesBelow(prefix) - megabytesBelow(join(installed, 'node_modules', runtime[0]!));
  assert.ok(beside <= 60, `${beside} MB beside Node`);
  assertProducesAndFetches(join(prefix, 'bin'));
  assert.match(readFileSync(join(installed, 'README.md'), 'utf8'), /@duckdb\/node-api@\d/);
  assert.ok(!existsSync(join(installed, 'node_modules/@duckdb')));
});

test('npx, from the tarball', { skip }, async (t) => {
  const home = mkdtempSync(join(scratch, 'npx-'));
  writeFileSync(join(home, 'package.json'), '{}');
  const env = { ...systemEnvironment, HOME: home, npm_config_cache: join(home, 'cache') };
  const npx = (...command: string[]) => ['--yes', `--package=${artefact(packageName)}`, '--', ...command];
  const { status, stdout, stderr } = spawnSync('npx', npx('weir', 'local', '--', 'sh', '-c', roundTrip), {
    cwd: home,
    env,
    encoding: 'utf8',
    timeout: 300_000,
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /one order/);
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
  run('npm', 'install', '--save-dev', '--include=dev', ...quiet, artefact(packageName), ...testRunners);
  const names = writeFromGuide(project, 'JavaScript');
  const own = names.filter((name) => name.endsWith('.test.js'));
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
  writeFileSync(join(project, 'typed.ts'), typed.join('\n'));
  const settings = ['--module', 'nodenext', '--target', 'esnext', '--strict', '--noEmit', '--types', 'node'];
  run(program('tsc'), ...settings, 'typed.ts');
});

test('the archive, unpacked anywhere, without a Node on the machine', { skip }, () => {
  const folder = join(scratch, 'a folder');
  mkdirSync(folder);
  execFileSync('tar', ['-xzf', artefact(archiveName), '-C', folder]);
  const installed = join(folder, `weir-${release}-${platformName}`);
  assertProducesAndFetches(join(installed, 'bin'));
});

test('an installation without Node says so in one line, and takes a Node 24 that is there', { skip }, () => {
  const installed = join(scratch, 'a folder', `weir-${release}-${platformName}`);
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

const skipDebian = skip || (hasProgram('dpkg') ? false : 'dpkg is not installed');

test('the Debian package, unpacked', { skip: skipDebian }, () => {
  const folder = join(scratch, 'debian');
  execFileSync('dpkg-deb', ['--extract', artefact(debianPackageName), folder]);
  assertProducesAndFetches(join(folder, 'usr/bin'));
});

test('the units of systemd are valid, and harden what they start', {
  skip: skipDebian || (hasProgram('systemd-analyze') ? false : 'systemd-analyze is not installed'),
}, () => {
  const folder = join(scratch, 'debian');
  for (const name of ['weir-agent', 'weir-control-plane']) {
    const unit = join(folder, `usr/lib/systemd/system/${name}.service`);
    const checked = spawnSync(
      'systemd-analyze',
      ['verify', '--recursive-errors=no', `--root=${folder}`, unit],
      { encoding: 'utf8' },
    );
    assert.doesNotMatch(checked.stderr, /Unknown|Failed to parse|Invalid|not executable/i);
    const rated = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=25', unit], {
      encoding: 'utf8',
    });
    assert.equal(rated.status, 0, `${rated.stdout}${rated.stderr}`);
  }
});

const skipImage = skip || missingNamespaces();
const imageRoot = join(scratch, 'image-root');

test('the image is small, and starts as a user without rights on files that it cannot change', {
  skip: skipImage,
}, () => {
  const layout = join(scratch, 'layout');
  const { config, compressedBytes } = unpackImage(artefact(imageTarName), layout, imageRoot);
  assert.ok(compressedBytes <= 120e6, `${compressedBytes} bytes compressed`);
  const { architecture, config: settings } = config;
  assert.equal(architecture, imageName);
  const [user] = settings.User.split(':');
  assert.notEqual(Number(user), 0);
  const own = lstatSync(join(imageRoot, 'opt/weir/bin/weir'));
  assert.deepEqual([own.uid, own.mode & 0o777], [0, 0o755]);
  const check = settings.Healthcheck.Test.slice(1).join(' ');
  const inside = [
    roundTrip,
    'touch /opt/weir/changed 2>/dev/null && echo "could be changed"',
    `SERVICE_HTTP_PORT=1 SERVICE_CONSOLE_PORT=1 ${check} && echo "healthy without a server"`,
    'id() { while read -r key value rest; do [ "$key" != Uid: ] || echo "user $value"; done </proc/self/status; }; id',
  ];
  const run = runIsolated(imageRoot, {
    user: settings.User,
    environment: settings.Env,
    argv: [...settings.Entrypoint, 'local', '--', 'sh', '-c', inside.join('\n')],
  });
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /one order/);
  assert.match(run.stdout, new RegExp(`^user ${user}$`, 'm'));
  assert.doesNotMatch(run.stdout, /could be changed|healthy without a server/);
});

test('the health check finds a control plane by its port', { skip: skipImage }, () => {
  const script = [
    'weir control-plane -dataDir /var/lib/weir/data -bindAddress 127.0.0.1 2>/dev/null >/dev/null &',
    'turn=0',
    'while [ $turn -lt 60 ]; do',
    '  if /opt/weir/bin/healthcheck; then echo healthy; kill $!; wait; exit 0; fi',
    '  sleep 1',
    '  turn=$((turn + 1))',
    'done',
  ];
  const run = runIsolated(imageRoot, {
    user: '65532:65532',
    environment: [
      'PATH=/opt/weir/bin:/bin',
      'HOME=/var/lib/weir',
      'SERVICE_CONSOLE_PORT=18090',
      'SERVICE_HTTP_PORT=1',
    ],
    argv: ['sh', '-c', script.join('\n')],
  });
  assert.match(run.stdout, /healthy/, run.stderr);
});

test('the Dockerfile makes the image of the same layers and settings', { skip: skipImage }, () => {
  const lines = readFileSync(artefact(`weir-${release}-${platformName}.Dockerfile`), 'utf8').split('\n');
  const rest = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const layout = join(scratch, 'layout');
  const blob = (digest: string) =>
    JSON.parse(readFileSync(join(layout, 'blobs', digest.replace(':', '/')), 'utf8'));
  const [described] = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')).manifests;
  const manifest = blob(described.digest);
  const { config } = blob(manifest.config.digest);
  assert.deepEqual(rest('FROM'), ['scratch']);
  assert.deepEqual(
    rest('ADD'),
    manifest.layers.map(({ digest }: { digest: string }) => `blobs/${digest.replace(':', '/')} /`),
  );
  assert.deepEqual(rest('ENV'), config.Env);
  assert.deepEqual(rest('USER'), [config.User]);
  assert.deepEqual(JSON.parse(rest('ENTRYPOINT')[0]!), config.Entrypoint);
  assert.deepEqual(JSON.parse(rest('CMD')[0]!), config.Cmd);
  assert.deepEqual(rest('WORKDIR'), [config.WorkingDir]);
  assert.deepEqual(
    JSON.parse(rest('HEALTHCHECK')[0]!.replace(/^.*CMD /, '')),
    config.Healthcheck.Test.slice(1),
  );
  for (const { digest } of manifest.layers)
    assert.ok(existsSync(join(layout, 'blobs', digest.replace(':', '/'))), 'the build finds its layers');
});

test('the image is one to tools for images', {
  skip: skipImage || missingPackage('skopeo', () => hasProgram('skopeo')),
}, () => {
  const shown = JSON.parse(
    execFileSync('skopeo', ['inspect', `oci-archive:${artefact(imageTarName)}`], { encoding: 'utf8' }),
  );
  assert.equal(shown.Architecture, imageName);
  assert.equal(shown.Labels['org.opencontainers.image.version'], release);
});

test('dpkg installs the Debian package on a system, makes its user, and removes it', {
  skip: skipDebian || skipImage,
}, () => {
  const system = join(scratch, 'system');
  execFileSync('cp', ['-a', imageRoot, system]);
  rmSync(join(system, 'opt'), { recursive: true });
  mkdirSync(join(system, 'usr/bin'), { recursive: true });
  for (const folder of [
    'var/lib/dpkg/info',
    'var/lib/dpkg/updates',
    'var/lib/dpkg/triggers',
    'var/log',
    'dev',
  ])
    mkdirSync(join(system, folder), { recursive: true });
  writeFileSync(join(system, 'var/lib/dpkg/status'), '');
  // A system with users of its own making: what the package calls there is recorded.
  for (const name of ['chmod', 'grep', 'rm'])
    execFileSync('ln', ['-s', 'busybox', join(system, 'bin', name)]);
  writeFileSync(
    join(system, 'bin/systemd-sysusers'),
    '#!/bin/sh\necho "weir:x:999:999::/var/lib/weir:/bin/sh" >>/etc/passwd\n',
  );
  chmodSync(join(system, 'bin/systemd-sysusers'), 0o755);
  execFileSync('sed', ['-i', '/^weir:/d', join(system, 'etc/passwd')]);
  const dpkg = (...args: string[]) =>
    execFileSync('dpkg', [`--root=${system}`, '--force-depends', '--force-not-root', ...args], {
      encoding: 'utf8',
    });
  dpkg('--install', artefact(debianPackageName));
  assert.match(readFileSync(join(system, 'etc/passwd'), 'utf8'), /^weir:/m);
  assert.equal(lstatSync(join(system, 'etc/weir/agent.env')).mode & 0o777, 0o600);
  const run = runIsolated(system, {
    user: '65532:65532',
    environment: ['PATH=/usr/bin:/bin', 'HOME=/var/lib/weir'],
    argv: ['/usr/bin/weir', 'local', '--', 'sh', '-c', roundTrip],
  });
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /one order/);
  dpkg('--purge', 'weir');
  assert.ok(!existsSync(join(system, 'usr/lib/weir/bin')));
});
