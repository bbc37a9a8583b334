import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Confluent's client `kafka-rest` of 2015, installed in a separate folder, only when needed. */
const folder = join(import.meta.dirname, '../../../node_modules/.cache/weir-rest-proxy-client');
const listed = join(import.meta.dirname, 'npm-client');

/** Why the client is not available here, as the `skip` of a test. */
export function missingRestProxyClient(): string | false {
  if (isThere()) return false;
  mkdirSync(folder, { recursive: true });
  cpSync(listed, folder, { recursive: true });
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { error, stderr } = spawnSync('npm', options, { cwd: folder, encoding: 'utf8', timeout: 300_000 });
  if (isThere()) return false;
  return `failed to install kafka-rest: ${error?.message ?? (stderr ?? '').trim().split('\n').at(-1)}`;
}

function isThere(): boolean {
  return existsSync(join(folder, 'node_modules/kafka-rest/index.js'));
}

/** The class of the client. */
// biome-ignore lint/suspicious/noExplicitAny: a package without types that is not installed when types are checked
export function restProxyClient(): any {
  return createRequire(join(folder, 'package.json'))('kafka-rest');
}
