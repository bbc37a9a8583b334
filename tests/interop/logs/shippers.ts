import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Datadog's client has thousands of files, so shippers are installed in a separate folder, only when needed. */
const folder = join(import.meta.dirname, '../../../node_modules/.cache/weir-log-shippers');
const listed = join(import.meta.dirname, 'shippers');

/** Why the shippers are not available here, as the `skip` of a test. */
export function missingShippers(): string | false {
  if (areThere()) return false;
  mkdirSync(folder, { recursive: true });
  cpSync(listed, folder, { recursive: true });
  // Not `npm ci`, which requires optional packages for other platforms that not every registry has.
  const options = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { error, stderr } = spawnSync('npm', options, { cwd: folder, encoding: 'utf8', timeout: 300_000 });
  if (areThere()) return false;
  return `failed to install log shippers: ${error?.message ?? (stderr ?? '').trim().split('\n').at(-1)}`;
}

function areThere(): boolean {
  return existsSync(join(folder, 'node_modules/winston-loki/index.js'));
}

/** The part of a package that tests call. */
// biome-ignore lint/suspicious/noExplicitAny: packages that are not installed when types are checked
export function shipper(name: string): any {
  return createRequire(join(folder, 'package.json'))(name);
}
