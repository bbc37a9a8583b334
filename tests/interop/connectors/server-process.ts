import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemEnvironment } from '@weir/core';
import { missingPackage } from '../debian-package.ts';

/** Packages that are installed in seconds where they are missing and this is root. */
export const smallServers = ['redis-server', 'nats-server', 'mosquitto'];

export function missingServer(name: string, path = name): string | false {
  const isThere = () => spawnSync('which', [path]).status === 0;
  return missingPackage(name, isThere, { isSmall: smallServers.includes(name) });
}

interface ServerProgram {
  /** Of Debian's package. */
  readonly name: string;
  /** Where it is not the name of the package. */
  readonly path?: string;
  /** The arguments; the folder is empty and stays the same after a restart. */
  command(port: number, folder: string): readonly string[];
  readonly environment?: (port: number, folder: string) => Readonly<Record<string, string>>;
  /** Ends what the server leaves behind. */
  readonly cleanUp?: (port: number) => void;
  /** What the server prints when it takes connections. */
  readonly ready: RegExp;
}

export interface ServerProcess {
  readonly port: number;
  readonly folder: string;
  /** Ends the server. */
  end(): Promise<void>;
  /** Starts it again on its files. */
  start(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/** Starts a real server, or returns the reason why there cannot be one on this machine. */
export async function startServer(
  program: ServerProgram,
): Promise<ServerProcess | { readonly missing: string }> {
  const { name, path = name, command, environment, cleanUp, ready } = program;
  const missing = missingServer(name, path);
  if (missing !== false) return { missing };
  const folder = mkdtempSync(join(tmpdir(), `weir-${name}-`));
  const port = await freePort();
  let server: ChildProcess;
  const start = async () => {
    const started = spawn(path, command(port, folder), {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...systemEnvironment, ...environment?.(port, folder) },
    });
    server = started;
    await new Promise<void>((resolve, reject) => {
      let output = '';
      const onData = (chunk: Buffer) => {
        output += chunk;
        if (ready.test(output)) resolve();
      };
      started.stdout.on('data', onData);
      started.stderr.on('data', onData);
      started.once('exit', () => reject(new Error(`${name} ended: ${output}`)));
    });
  };
  const end = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  };
  const remove = () => {
    cleanUp?.(port);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  // Neither the server nor its files may stay behind after an uncaught failure or an interrupt.
  process.once('exit', () => {
    server.kill('SIGKILL');
    remove();
  });
  await start();
  return {
    port,
    folder,
    end,
    start,
    async stop() {
      await end();
      remove();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
