/** The image: unpacked, and run as a container program would run it, with the commands of the page. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { release, systemEnvironment } from '@weir/core';
import { missingPackage } from '../../debian-package.ts';
import { blocksOf } from '../../readme/blocks.ts';
import { firstRecord, installChapters } from './installation-pages.ts';
import { Container, hasProgram, missingNamespaces, runIsolated } from './isolated-root.ts';
import { artefact, names, platform, scratch, skip } from './made-release.ts';
import { unpackImage } from './unpacked-image.ts';

export const skipImage = skip || missingNamespaces();
export const imageRoot = join(scratch, 'image-root');

const layout = join(scratch, 'layout');
const blob = (digest: string) => join(layout, 'blobs', digest.replace(':', '/'));
const jsonOf = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** What the image says about itself, once it is unpacked. */
function manifestAndConfig() {
  const [described] = jsonOf(join(layout, 'index.json')).manifests;
  const manifest = jsonOf(blob(described.digest));
  return { described, manifest, config: jsonOf(blob(manifest.config.digest)).config };
}

function startContainer(t: TestContext, args: readonly string[], variables: readonly string[] = []) {
  const { config } = manifestAndConfig();
  return new Container(t, imageRoot, {
    user: config.User,
    environment: [...config.Env, ...variables],
    argv: [...config.Entrypoint, ...args],
  });
}

test('the image is small, and starts as a user without rights on files that it cannot change', {
  skip: skipImage,
}, () => {
  const { config, compressedBytes } = unpackImage(artefact(names.image), layout, imageRoot);
  assert.ok(compressedBytes <= 120e6, `${compressedBytes} bytes compressed`);
  const { architecture, config: settings } = config;
  assert.equal(architecture, platform.imageName);
  const [user] = settings.User.split(':');
  assert.notEqual(Number(user), 0);
  const own = lstatSync(join(imageRoot, 'opt/weir/bin/weir'));
  assert.deepEqual([own.uid, own.mode & 0o777], [0, 0o755]);
  const inside = [
    'touch /opt/weir/changed 2>/dev/null && echo "could be changed"',
    'id() { while read -r key value rest; do [ "$key" != Uid: ] || echo "user $value"; done </proc/self/status; }; id',
  ];
  const run = runIsolated(imageRoot, {
    user: settings.User,
    environment: settings.Env,
    argv: ['sh', '-c', inside.join('\n')],
  });
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, new RegExp(`^user ${user}$`, 'm'));
  assert.doesNotMatch(run.stdout, /could be changed/);
});

/** Options of `docker run` that the page may show, and what is true of a container here. */
const runOptions: Readonly<Record<string, RegExp>> = {
  '--rm': /^$/,
  '--name': /^\w+$/,
  '--read-only': /^$/,
  '--tmpfs': /^\/tmp$/,
  '-p': /^(\d+):\1$/,
};

/** The command `docker run` of a page: its options, its image, and what the container gets as arguments. */
function shownRun(commands: string) {
  const words = /^docker run (.*)$/m.exec(commands.replaceAll(/ \\\n\s*/g, ' '))?.[1]?.split(' ') ?? [];
  const options: [name: string, value: string][] = [];
  while (words[0]?.startsWith('-')) {
    const name = words.shift()!;
    const value = runOptions[name]?.test('') === false ? words.shift()! : '';
    assert.match(value, runOptions[name] ?? /option that the test does not know/, name);
    options.push([name, value]);
  }
  const [image, ...args] = words;
  return { options, image, args };
}

test('the commands of the page start the image, and produce and fetch a record in it', {
  skip: skipImage,
}, async (t) => {
  const [started, record] = blocksOf(installChapters('Image'));
  assert.equal(/^docker load < (\S+)$/m.exec(started!.text)?.[1], names.image);
  const { options, image, args } = shownRun(started!.text);
  const { described, config } = manifestAndConfig();
  assert.equal(image, described.annotations['io.containerd.image.name']);
  const published = options.filter(([name]) => name === '-p').map(([, value]) => value.split(':')[1]);
  assert.ok(published.length > 0);
  for (const port of published) assert.ok(Object.hasOwn(config.ExposedPorts, `${port}/tcp`), port);

  const container = startContainer(t, args);
  await container.untilPrinted(started!.readyAt!);
  const name = options.find(([option]) => option === '--name')![1];
  const entering = ['nsenter', ...container.entering([])].map((word) => `'${word}'`).join(' ');
  // As `docker exec` does it.
  const commands = record!.text.replaceAll(new RegExp(`docker exec (?:-i )?${name} `, 'g'), `${entering} `);
  assert.doesNotMatch(commands, /docker/);
  const printed = execFileSync('sh', ['-e', '-c', commands], {
    encoding: 'utf8',
    env: { PATH: systemEnvironment.PATH },
  });
  for (const [command, output] of firstRecord) {
    assert.ok(record!.text.includes(command), command);
    assert.match(printed, output);
  }
});

test('the health check finds a server at the ports that its flags or variables set', {
  skip: skipImage,
}, async (t) => {
  const check = manifestAndConfig().config.Healthcheck.Test.slice(1);
  const nowhere = ['SERVICE_HTTP_PORT=1', 'SERVICE_CONSOLE_PORT=1'];
  const atLoopback = ['-bindAddress', '127.0.0.1'];
  const planeAtLoopback = ['-dataDir', '/var/lib/weir/data', ...atLoopback];
  const localAtLoopback = [...atLoopback, '-kafkaPort', '0', '-schemaRegistryPort', '0'];
  const cases: readonly (readonly [what: string, args: string[], variables: string[], readyAt: string])[] = [
    ['control plane, by default', ['control-plane', ...planeAtLoopback], [], 'serves'],
    [
      'control plane, variable',
      ['control-plane', ...planeAtLoopback],
      ['SERVICE_CONSOLE_PORT=18090'],
      'serves',
    ],
    [
      'control plane, flag',
      ['control-plane', ...planeAtLoopback, '-consolePort', '18090'],
      nowhere,
      'serves',
    ],
    ['local, by default', ['local', ...localAtLoopback], [], 'Ctrl-C'],
    [
      'local, flags in another style',
      ['local', ...localAtLoopback, '--http-port=18080', '--console-port=0'],
      nowhere,
      'Ctrl-C',
    ],
  ];
  for (const [what, args, variables, readyAt] of cases)
    await t.test(what, async (t) => {
      const container = startContainer(t, args, variables);
      await container.untilPrinted(readyAt);
      const { status, stderr } = container.run(check);
      assert.equal(status, 0, stderr);
    });

  for (const [what, flags, variables] of [
    ['agent, variable', [], ['SERVICE_HTTP_PORT=18080']],
    ['agent, flag', ['-httpPort', '18080'], nowhere],
  ] as const)
    await t.test(what, async (t) => {
      const bucket = ['-bucketURL', 'file:///var/lib/weir/bucket'];
      const key = `aks_${'0'.repeat(64)}`;
      const cluster = [
        '-defaultVirtualClusterID',
        'vci_00000000_0000_4000_8000_000000000001',
        '-agentKey',
        key,
      ];
      const place = ['-metadataURL', 'http://127.0.0.1:28090', '-availabilityZone', 'a'];
      const agent = [...place, ...bucket, ...cluster, ...flags, ...atLoopback];
      const container = startContainer(t, ['agent', ...agent], variables);
      // Its control plane is beside it, where the check does not look.
      const beside = ['control-plane', ...planeAtLoopback, ...cluster, '-consolePort', '28090'];
      await container.start(['/bin/env', '-u', 'SERVICE_CONSOLE_PORT', 'weir', ...beside], 'serves');
      await container.untilPrinted('is ready');
      const { status, stderr } = container.run(check);
      assert.equal(status, 0, stderr);
    });

  await t.test('no server', () => {
    const { config } = manifestAndConfig();
    const { status } = runIsolated(imageRoot, { user: config.User, environment: config.Env, argv: check });
    assert.equal(status, 1);
  });
});

const secondsOf = (nanoseconds: number) => `${nanoseconds / 1e9}s`;

test('the Dockerfile makes the image of the same layers and settings', { skip: skipImage }, () => {
  const lines = readFileSync(artefact(names.dockerfile), 'utf8').split('\n');
  const { manifest, config } = manifestAndConfig();
  const { Test, Interval, Timeout, StartPeriod, Retries, ...others } = config.Healthcheck;
  assert.deepEqual(others, {});
  const health = `--interval=${secondsOf(Interval)} --timeout=${secondsOf(Timeout)} --start-period=${secondsOf(StartPeriod)}`;
  /** A field of the image, and the instructions that set it. */
  const settings: Readonly<Record<string, readonly string[]>> = {
    Env: config.Env.map((one: string) => `ENV ${one}`),
    Labels: Object.entries(config.Labels).map(([name, value]) => `LABEL ${name}=${value}`),
    ExposedPorts: [
      `EXPOSE ${Object.keys(config.ExposedPorts)
        .map((port) => port.replace('/tcp', ''))
        .join(' ')}`,
    ],
    Volumes: Object.keys(config.Volumes).map((path) => `VOLUME ${path}`),
    WorkingDir: [`WORKDIR ${config.WorkingDir}`],
    User: [`USER ${config.User}`],
    StopSignal: [`STOPSIGNAL ${config.StopSignal}`],
    Healthcheck: [`HEALTHCHECK ${health} --retries=${Retries} CMD ${JSON.stringify(Test.slice(1))}`],
    Entrypoint: [`ENTRYPOINT ${JSON.stringify(config.Entrypoint)}`],
    Cmd: [`CMD ${JSON.stringify(config.Cmd)}`],
  };
  assert.deepEqual(Object.keys(config).toSorted(), Object.keys(settings).toSorted(), 'each is compared');
  const added = manifest.layers.map(
    ({ digest }: { digest: string }) => `ADD blobs/${digest.replace(':', '/')} /`,
  );
  assert.deepEqual(
    lines.filter((line) => line !== '' && !line.startsWith('#')).toSorted(),
    ['FROM scratch', ...added, ...Object.values(settings).flat()].toSorted(),
  );
  assert.deepEqual(
    lines.filter((line) => line.startsWith('ADD ')),
    added,
    'layers in their order',
  );
  for (const { digest } of manifest.layers) assert.ok(existsSync(blob(digest)), 'the build finds its layers');
});

test('the image is one to tools for images', {
  skip: skipImage || missingPackage('skopeo', () => hasProgram('skopeo')),
}, () => {
  const shown = JSON.parse(
    execFileSync('skopeo', ['inspect', `oci-archive:${artefact(names.image)}`], { encoding: 'utf8' }),
  );
  assert.equal(shown.Architecture, platform.imageName);
  assert.equal(shown.Labels['org.opencontainers.image.version'], release);
});
