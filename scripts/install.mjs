// Installs what is missing, from the lock file, and says nothing when nothing is: what running needs, or with `--tools` also
// what contributors need. Plain JavaScript, because on a fresh clone it is run by whatever Node the machine has; Node 24,
// which runs everything else, is one of the things it installs.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  hasTools,
  lockPath,
  packageFolders,
  root,
  runtimePath,
  sizeOfInstallation,
} from './installation.mjs';

const stampPath = join(root, 'node_modules', '.weir-installed');
// The platform is part of the stamp, because the same folder may be mounted into a container of another kind.
const stamp = `${createHash('sha256').update(readFileSync(lockPath)).digest('hex')} ${process.platform} ${process.arch}\n`;
const progressEveryMs = process.stderr.isTTY ? 500 : 5_000;

/** After an `npm ci` by hand there is no stamp, but a lock file of npm's own that is newer than ours. */
function wasInstalledByHand() {
  const npmLockPath = join(root, 'node_modules', '.package-lock.json');
  return existsSync(npmLockPath) && statSync(npmLockPath).mtimeMs >= statSync(lockPath).mtimeMs;
}

function isCurrent() {
  if (!existsSync(runtimePath)) return false;
  if (existsSync(stampPath)) return readFileSync(stampPath, 'utf8') === stamp;
  return wasInstalledByHand();
}

/** Gives why it failed, or undefined. */
async function runNpm(args, withTools) {
  const startMs = performance.now();
  const folders = packageFolders({ withTools });
  const showProgress = () => {
    const there = folders.filter((folder) => existsSync(join(folder, 'package.json'))).length;
    const runtime = existsSync(runtimePath) ? '' : '; Node 24, the largest part, is on its way';
    const line = `  ${there} of ${folders.length} packages after ${Math.round((performance.now() - startMs) / 1000)} s${runtime}`;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  };
  const progress = setInterval(showProgress, progressEveryMs);
  try {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    const child = spawn(npm, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    return await new Promise((resolve) => {
      child.on('error', ({ message }) => resolve(message));
      child.on('close', (status) =>
        resolve(status === 0 ? undefined : `npm ${args[0]} ended with ${status}`),
      );
    });
  } finally {
    clearInterval(progress);
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const wantsTools = process.argv.includes('--tools');
const hadTools = hasTools();
if (!isCurrent() || (wantsTools && !hadTools)) {
  const withTools = wantsTools || hadTools;
  const what = withTools ? 'what running and testing need' : 'what running needs';
  process.stderr.write(`Installing ${what}, from package-lock.json …\n`);
  // A cluster may be running on what is installed, so that tools are added to it. `npm ci` would remove it first.
  const command = isCurrent() ? ['install', '--no-save'] : ['ci'];
  const options = [withTools ? '--include=dev' : '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const failure = await runNpm([...command, ...options], withTools);
  if (failure !== undefined) fail(`The installation failed: ${failure}. Run 'npm ci' in ${root} to see why.`);
  if (!existsSync(runtimePath))
    fail(`npm brought no Node 24 at ${runtimePath}. Were install scripts switched off?`);
  process.stderr.write(`Installed ${sizeOfInstallation()}.\n`);
  // Worktrees may share files by hard links; a new file leaves those of others as they are.
  rmSync(stampPath, { force: true });
}
if (!existsSync(stampPath)) writeFileSync(stampPath, stamp);
const { bundleIfStale } = await import('./bundle.mjs');
await bundleIfStale();
