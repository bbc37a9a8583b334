import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { systemClock } from '@weir/core';
import { type BuiltGo, buildGoModule, goProgramPath } from '../go/programs.ts';
import { freePort } from '../s3/server.ts';

const startMsMax = 60_000;

export interface GsServer {
  /** Its URL. */
  readonly address: string;
  createBucket(bucket: string): Promise<void>;
  stop(): Promise<void>;
}

const name = 'fake-gcs-server';

/**
 * The server that `buildGsServer` built. Tests do not build it by themselves: with the packages of Google that it
 * imports, that takes minutes.
 */
export function builtGsServer(): BuiltGo {
  const program = goProgramPath(name);
  const missing = existsSync(program) ? false : 'fake-gcs-server is not built; npm run test:gs builds it';
  return { missing, program };
}

/** Builds fake-gcs-server; go.mod has its version. */
export function buildGsServer(): BuiltGo {
  return buildGoModule(name, 'github.com/fsouza/fake-gcs-server', import.meta.dirname);
}

/** Starts fake-gcs-server with objects in memory. It accepts requests without credentials. */
export async function startGsServer(program: string): Promise<GsServer> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const flags = ['-backend', 'memory', '-scheme', 'http', '-host', '127.0.0.1', '-port', String(port)];
  const names = ['-public-host', `127.0.0.1:${port}`, '-external-url', address];
  const server = spawn(program, [...flags, ...names, '-log-level', 'error'], { stdio: 'ignore' });
  const ended = once(server, 'close');
  async function stop(): Promise<void> {
    server.kill();
    await ended;
  }
  try {
    await untilHealthy(address, server);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    address,
    async createBucket(name) {
      const response = await fetch(`${address}/storage/v1/b?project=judge`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      });
      if (!response.ok) throw new Error(`failed to create the bucket ${name}: ${await response.text()}`);
    },
    stop,
  };
}

async function untilHealthy(address: string, server: ChildProcess): Promise<void> {
  const giveUpMs = systemClock.monotonicMs() + startMsMax;
  while (!(await isHealthy(address))) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    if (systemClock.monotonicMs() > giveUpMs) throw new Error('the server does not start');
    await new Promise<void>((resolve) => systemClock.after(50, resolve));
  }
}

async function isHealthy(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/_internal/healthcheck`);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
