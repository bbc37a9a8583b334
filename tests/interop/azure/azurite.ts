import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Azurite has some two hundred packages, so it is installed in a separate folder, only when needed. Its clients for
 * telemetry and SQL servers, more than half of its size, are replaced by an empty package.
 */
const folder = join(import.meta.dirname, '../../../node_modules/.cache/weir-azurite');
const listed = join(import.meta.dirname, 'azurite');
const program = join(folder, 'node_modules/azurite/dist/src/blob/main.js');

/** Why Azurite is not available here, as the `skip` of a test. */
export function missingAzurite(): string | false {
  if (existsSync(program)) return false;
  mkdirSync(folder, { recursive: true });
  cpSync(listed, folder, { recursive: true });
  // Not `npm ci`, which requires optional packages for other platforms that not every registry has.
  const options = ['install', '--no-save', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'];
  const { error, stderr } = spawnSync('npm', options, { cwd: folder, encoding: 'utf8', timeout: 300_000 });
  if (existsSync(program)) return false;
  return `failed to install Azurite: ${error?.message ?? (stderr ?? '').trim().split('\n').at(-1)}`;
}

export const identity = {
  account: 'judge',
  key: Buffer.from('secret of the judge').toString('base64'),
} as const;

export interface Azurite {
  /** The URL of the blob service of the account. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Files with the certificate and the key of a server with TLS, which takes the tokens of Entra ID too. */
interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Starts Azurite with objects in memory. It rejects requests that are not signed or authorized. */
export async function startAzurite(tls?: TlsFiles): Promise<Azurite> {
  const args = [
    '--inMemoryPersistence',
    '--silent',
    '--disableTelemetry',
    '--blobHost',
    '127.0.0.1',
    '--blobPort',
    '0',
  ];
  if (tls !== undefined) args.push('--oauth', 'basic', '--cert', tls.cert, '--key', tls.key);
  const server = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/bin:/bin',
      HOME: folder,
      AZURITE_ACCOUNTS: `${identity.account}:${identity.key}`,
      // Loading modules takes most of the time of the start.
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
    },
  });
  const ended = once(server, 'close');
  // The server may not stay behind after an uncaught failure.
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const origin = await new Promise<string>((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk;
      const listens = /successfully listens on (\S+)/.exec(output)?.[1];
      if (listens !== undefined) resolve(listens);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.once('error', reject);
    server.once('close', () => reject(new Error(`Azurite ended: ${output}`)));
  });
  return {
    endpoint: `${origin}/${identity.account}`,
    async stop() {
      process.off('exit', kill);
      server.kill('SIGKILL');
      await ended;
    },
  };
}

interface SasOptions {
  /** Letters of what is allowed, in the order of the service: `rwdlacup`. */
  readonly permissions?: string;
  readonly expires?: string;
}

/** A SAS token of the account, made as the service documents it and without the code that is tested. */
export function accountSas({
  permissions = 'rwdlac',
  expires = '2100-01-01T00:00:00Z',
}: SasOptions = {}): string {
  const fields = {
    sp: permissions,
    ss: 'b',
    srt: 'sco',
    st: '',
    se: expires,
    sip: '',
    spr: 'https,http',
    sv: '2024-11-04',
  };
  const text = `${[identity.account, ...Object.values(fields), ''].join('\n')}\n`;
  const sig = createHmac('sha256', Buffer.from(identity.key, 'base64')).update(text).digest('base64');
  const given = Object.entries({ ...fields, sig }).filter(([, value]) => value !== '');
  return given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}

export async function createContainer(endpoint: string, container: string): Promise<void> {
  const url = `${endpoint}/${container}?restype=container&${accountSas()}`;
  const response = await fetch(url, { method: 'PUT', headers: { 'x-ms-version': '2024-11-04' } });
  if (response.status !== 201) throw new Error(`no container: ${response.status} ${await response.text()}`);
}
