import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, release, systemClock } from '@weir/core';
import { packageVersion } from '../../scripts/release/npm-package.ts';
import { platforms } from '../../scripts/release/platforms.ts';
import { freshEnvironment } from '../../tests/interop/fresh-environment.ts';
import { msToFirstRecord } from '../../tests/interop/release/longer/first-record.ts';
import { isolated, missingNamespaces } from '../../tests/interop/release/longer/isolated-root.ts';
import { unpackImage } from '../../tests/interop/release/longer/unpacked-image.ts';
import { atMost, type Row, Skipped } from '../benchmark.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import { median } from '../side-by-side.ts';
import { timesOf, withPorts } from './turns.ts';

const root = join(import.meta.dirname, '../..');
const startTurns = 9;

interface Installed {
  readonly what: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Environment;
  readonly isBar?: boolean;
}

/** From the start of a release that is installed and was started before. */
export async function installedRows(lifetime: Lifetime): Promise<Row[]> {
  const platform = platforms.find(({ os, cpu }) => os === process.platform && cpu === process.arch);
  if (platform === undefined)
    throw new Skipped(`there is no release for ${process.platform}-${process.arch}`);
  const folder = lifetime.folder();
  const [made, home, prefix, project] = ['release', 'home', 'prefix', 'project'].map((name) =>
    join(folder, name),
  );
  for (const one of [home!, project!]) mkdirSync(one);
  const options = ['--platforms', platform.name, '--out', made!];
  execFileSync(process.execPath, [join(root, 'scripts/release.ts'), ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const tarball = join(made!, `weir-${packageVersion}.tgz`);
  const environment = freshEnvironment(home!);
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...args, tarball], {
      cwd,
      env: environment as NodeJS.ProcessEnv,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  writeFileSync(join(project!, 'package.json'), '{"private":true}');
  npm(project!);
  npm(folder, '--global', '--prefix', prefix!);
  const byTarball = ['--yes', `--package=${tarball}`];
  const ways: Installed[] = [
    {
      what: '`weir local`, installed by npm install -g',
      ...{ command: join(prefix!, 'bin/weir'), args: ['local'], cwd: home!, environment },
    },
    {
      what: '`npx weir local` in a project that has the package',
      ...{ command: 'npx', args: ['weir', 'local'], cwd: project!, environment },
      isBar: true,
    },
    {
      what: `\`npx --package=weir-${packageVersion}.tgz -- weir local\`, from the cache of npx`,
      ...{ command: 'npx', args: [...byTarball, '--', 'weir', 'local'], cwd: home!, environment },
      isBar: true,
    },
    ...imageWay(join(made!, `weir-${release}-${platform.name}.oci.tar`), folder),
  ];
  const rows: Row[] = [];
  for (const { what, isBar = false, environment: own, ...started } of ways) {
    const times: number[] = [];
    // The first start compiles, and fills caches.
    for (let turn = -1; turn < startTurns; turn++) {
      const { env, port } = await withPorts(own);
      const ms = await msToFirstRecord({ ...started, ...withImagePorts(started.args, env), env, port });
      if (turn >= 0) times.push(ms);
    }
    rows.push({
      what,
      result: Math.round(median(times)),
      unit: 'ms',
      ...(isBar ? { bar: atMost(500) } : {}),
      detail: `${timesOf(times, 1, 0)} ms`,
    });
  }
  return [
    ...rows,
    ...testingRows(project!, environment),
    ...npxAlone(project!, ['-c', 'true'], 'in a project', environment),
    ...npxAlone(home!, [...byTarball, '-c', 'true'], 'from the cache of npx', environment),
  ];
}

/** `startCluster` of `weir/testing` in a process that has just started, its import included. */
function testingRows(project: string, env: Environment): Row[] {
  return ['here', 'child'].map((runs) => {
    const script = [
      'const startMs = performance.now();',
      "const { startCluster } = await import('weir/testing');",
      `await using cluster = await startCluster({ runs: '${runs}' });`,
      'console.log(performance.now() - startMs);',
    ].join('\n');
    const path = join(project, `start-${runs}.mjs`);
    writeFileSync(path, script);
    const times = Array.from({ length: startTurns + 1 }, () =>
      Number(
        execFileSync(process.execPath, [path], {
          cwd: project,
          env: env as NodeJS.ProcessEnv,
          encoding: 'utf8',
        }),
      ),
    ).slice(1);
    return {
      what: `\`startCluster()\` of \`weir/testing\`, ${runs === 'here' ? 'in the process of the tests' : 'as a child'}`,
      result: Math.round(median(times)),
      unit: 'ms',
      bar: atMost(400),
      detail: `${timesOf(times, 1, 0)} ms`,
    };
  });
}

/** What npx takes to start a command that does nothing. */
function npxAlone(cwd: string, args: readonly string[], where: string, env: Environment): Row[] {
  const times = Array.from({ length: startTurns }, () => {
    const startMs = systemClock.monotonicMs();
    const { status } = spawnSync('npx', args, { cwd, env: env as NodeJS.ProcessEnv, stdio: 'ignore' });
    if (status !== 0) throw new Error(`npx ${args.join(' ')} ended with ${status}`);
    return systemClock.monotonicMs() - startMs;
  });
  return [
    {
      what: `\`npx -c true\` ${where}, which is npx alone`,
      result: Math.round(median(times)),
      unit: 'ms',
      detail: `${timesOf(times, 1, 0)} ms`,
    },
  ];
}

const portPlace = 'SERVICE_KAFKA_PORT=';

/** A container has an environment of its own, which is among the arguments. */
function withImagePorts(args: readonly string[], env: NodeJS.ProcessEnv): { args: string[] } {
  return { args: args.map((one) => (one === portPlace ? `${portPlace}${env.SERVICE_KAFKA_PORT}` : one)) };
}

/** The image, run as a container program would run it. Only root can. */
function imageWay(tarPath: string, folder: string): Installed[] {
  const missing = missingNamespaces();
  if (missing !== false) {
    process.stderr.write(`bench:first-record: no row of the image: ${missing}\n`);
    return [];
  }
  const imageRoot = join(folder, 'image');
  const { config } = unpackImage(tarPath, join(folder, 'layout'), imageRoot);
  const ports = [
    'SERVICE_HTTP_PORT=0',
    'SERVICE_CONSOLE_PORT=0',
    'SERVICE_SCHEMA_REGISTRY_PORT=0',
    portPlace,
  ];
  const own = [...ports, 'SERVICE_AVAILABILITY_ZONE=here', 'SERVICE_BIND_ADDRESS=127.0.0.1'];
  const { User: user, Env, Entrypoint } = config.config;
  const [command, args] = isolated(imageRoot, {
    user,
    environment: [...Env, ...own],
    argv: [...Entrypoint, 'local'],
  });
  return [
    {
      what: 'the image, from its unpacked layers',
      command,
      args,
      cwd: folder,
      environment: freshEnvironment(folder),
    },
  ];
}
