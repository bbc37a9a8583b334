// Installs what is missing, from the lock file, and says nothing when nothing is. Plain JavaScript, because on a fresh clone
// it is run by whatever Node the machine has; Node 24, which runs everything else, is one of the things it installs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stampPath = join(root, 'node_modules', '.weir-installed');
const runtimePath = join(root, 'node_modules', 'node', 'bin', 'node');
const lockPath = join(root, 'package-lock.json');
const lock = readFileSync(lockPath);
// The platform is part of the stamp, because the same folder may be mounted into a container of another kind.
const stamp = `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}\n`;

/** Somebody may have run `npm ci` by hand; npm then leaves a lock file of its own that is newer than ours. */
function wasInstalledByHand() {
  const npmLockPath = join(root, 'node_modules', '.package-lock.json');
  return existsSync(npmLockPath) && statSync(npmLockPath).mtimeMs >= statSync(lockPath).mtimeMs;
}

function isInstalled() {
  if (!existsSync(runtimePath)) return false;
  if (existsSync(stampPath)) return readFileSync(stampPath, 'utf8') === stamp;
  return wasInstalledByHand();
}

if (!isInstalled()) {
  process.stderr.write('Installing dependencies from package-lock.json …\n');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status, error } = spawnSync(npm, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (error !== undefined || status !== 0) {
    const cause = error === undefined ? `npm ci ended with ${status}` : error.message;
    process.stderr.write(`The installation failed: ${cause}. Run 'npm ci' in ${root} to see why.\n`);
    process.exit(1);
  }
  if (!existsSync(runtimePath)) {
    process.stderr.write(`npm ci brought no Node 24 at ${runtimePath}. Were install scripts switched off?\n`);
    process.exit(1);
  }
}
if (!existsSync(stampPath)) writeFileSync(stampPath, stamp);
