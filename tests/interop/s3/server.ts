import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '@weir/core';
import { shortLivedJava } from '../apache/build.ts';

const home = import.meta.dirname;
const target = join(home, 'target');
const jars = join(target, 'jars');
/** Holds the pom of the downloaded jars. */
const stamp = join(target, 'built-from');

const startMsMax = 60_000;

export const identity = { accessKeyId: 'judge', secretAccessKey: 'secret of the judge' } as const;

export interface S3Server {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts S3Proxy with objects in memory. It rejects requests without a valid AWS signature, and supports conditional
 * puts.
 */
export async function startS3Server(): Promise<S3Server> {
  gatherJars();
  const port = await freePort();
  const settings = join(target, `settings-${port}.properties`);
  const lines = {
    's3proxy.endpoint': `http://127.0.0.1:${port}`,
    's3proxy.authorization': 'aws-v4',
    's3proxy.identity': identity.accessKeyId,
    's3proxy.credential': identity.secretAccessKey,
    // It does not support checksum headers and would otherwise reject them.
    's3proxy.ignore-unknown-headers': 'true',
    'jclouds.provider': 'transient-nio2',
    'jclouds.identity': 'unused',
    'jclouds.credential': 'unused',
  };
  writeFileSync(
    settings,
    Object.entries(lines)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const quiet = `-Dlogback.configurationFile=${join(home, 'logback.xml')}`;
  const program = [
    ...shortLivedJava,
    quiet,
    '-cp',
    join(jars, '*'),
    'org.gaul.s3proxy.Main',
    '--properties',
    settings,
  ];
  const server = spawn('java', program, { stdio: 'ignore' });
  return serving(port, server, 'SIGTERM', () => rmSync(settings, { force: true }));
}

/** Waits until a server accepts connections. One that does not is stopped. */
export async function serving(
  port: number,
  server: ChildProcess,
  signal: 'SIGTERM' | 'SIGKILL',
  cleanUp: () => void,
): Promise<S3Server> {
  const ended = once(server, 'close');
  async function stop(): Promise<void> {
    server.kill(signal);
    await ended;
    cleanUp();
  }
  try {
    await untilOpen(port, server);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, stop };
}

/** Downloads the jars unless they are present. Maven uses the network only for what its cache lacks. */
export function gatherJars(): void {
  const pom = readFileSync(join(home, 'pom.xml'), 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === pom) return;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const { status, error, stdout, stderr } = spawnSync('mvn', ['-q', '-B', 'package'], {
    cwd: home,
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`mvn package ended with ${status}:\n${stdout}${stderr}`);
  writeFileSync(stamp, pom);
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

/** Waits until a server that was started accepts connections. */
async function untilOpen(port: number, server: ChildProcess): Promise<void> {
  const giveUpMs = systemClock.monotonicMs() + startMsMax;
  while (!(await isOpen(port))) {
    if (server.exitCode !== null) throw new Error(`the S3 server ended with ${server.exitCode}`);
    if (systemClock.monotonicMs() > giveUpMs) throw new Error('the S3 server does not start');
    await new Promise<void>((resolve) => systemClock.after(100, resolve));
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
