import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingPackage } from '../debian-package.ts';

export interface RedisServer {
  readonly url: string;
  /** Ends the server, and starts it again on its files. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a real server of Redis with a password, or returns the reason why there cannot be one on this machine. */
export async function startRedis(): Promise<RedisServer | { readonly missing: string }> {
  const isThere = () => spawnSync('redis-server', ['--version']).status === 0;
  const missing = missingPackage('redis-server', isThere);
  if (missing !== false) return { missing };
  const folder = mkdtempSync(join(tmpdir(), 'weir-redis-'));
  const port = await freePort();
  const start = async () => {
    const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--requirepass', 'secret'];
    const server = spawn('redis-server', [...options, '--appendonly', 'yes', '--appendfsync', 'always'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    for await (const chunk of server.stdout) {
      output += chunk;
      if (output.includes('Ready to accept connections')) break;
    }
    server.stdout.resume();
    return server;
  };
  let server = await start();
  const end = async () => {
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
  };
  return {
    url: `redis://:secret@127.0.0.1:${port}/1`,
    async restart() {
      await end();
      server = await start();
    },
    async stop() {
      await end();
      rmSync(folder, { recursive: true });
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
