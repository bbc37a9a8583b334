// Installs what is missing, from the lock file, and says nothing when nothing is: what running needs, with `--tools` also
// what contributors need, and with `--command` at least what the command needs, without the console (ADR 0264). Plain
// JavaScript, because on a fresh clone it is run by whatever Node the machine has; Node 24, which runs everything else, is
// one of the things it installs.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  hasTools,
  lockPath,
  missingRuntime,
  packageFolders,
  removeHeaders,
  root,
  sizeOfInstallation,
} from './installation.mjs';

const stampPath = join(root, 'node_modules', '.weir-installed');
const lockHash = createHash('sha256').update(readFileSync(lockPath)).digest('hex');
// The platform is part of the stamp, because the same folder may be mounted into a container of another kind.
const stamp = `${lockHash} ${process.platform} ${process.arch}\n`;
const commandStamp = `command ${stamp}`;
const progressEveryMs = process.stderr.isTTY ? 500 : 5_000;

/** The process that adds to what is installed. What one that was interrupted has added may lack files. */
const addingPath = join(root, 'node_modules', '.weir-adding');

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch ({ code }) {
    return code === 'EPERM';
  }
}

const isAnotherAdding = () => existsSync(addingPath) && isAlive(Number(readFileSync(addingPath, 'utf8')));

const isThere = (folder) => existsSync(join(folder, 'package.json'));

/** After an `npm ci` by hand there is no stamp, but a lock file of npm's own that is newer than ours. */
function wasInstalledByHand() {
  const npmLockPath = join(root, 'node_modules', '.package-lock.json');
  return (
    existsSync(npmLockPath) &&
    statSync(npmLockPath).mtimeMs >= statSync(lockPath).mtimeMs &&
    packageFolders({ withTools: false }).every(isThere)
  );
}

function isCurrent({ isCommandEnough }) {
  if (missingRuntime() !== undefined || existsSync(addingPath)) return false;
  if (!existsSync(stampPath)) return wasInstalledByHand();
  const found = readFileSync(stampPath, 'utf8');
  return found === stamp || (isCommandEnough && found === commandStamp);
}

/** Gives why it failed, or undefined. */
async function runNpm(args, withTools, stderr) {
  const startMs = performance.now();
  const folders = packageFolders({ withTools });
  const showProgress = () => {
    const there = folders.filter(isThere).length;
    const runtime = missingRuntime() === undefined ? '' : '; Node 24, the largest part, is on its way';
    const line = `  ${there} packages after ${Math.round((performance.now() - startMs) / 1000)} s${runtime}`;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  };
  const progress = setInterval(showProgress, progressEveryMs);
  try {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    const child = spawn(npm, args, { cwd: root, stdio: ['ignore', 'ignore', stderr] });
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

// The rest of an installation may be on its way beside a playground (scripts/start.mjs).
while (isAnotherAdding()) await sleep(200);
const wantsTools = process.argv.includes('--tools');
const hadTools = hasTools();
const withTools = wantsTools || hadTools;
const isCommandEnough = process.argv.includes('--command') && !withTools;
if (!isCurrent({ isCommandEnough }) || (wantsTools && !hadTools)) {
  const what = withTools ? 'what running and testing need' : 'what running needs';
  process.stderr.write(`Installing ${what}, from package-lock.json …\n`);
  // A cluster may be running on what is installed, so that the rest is added to it. `npm ci` would remove it first.
  const command = isCurrent({ isCommandEnough: true }) ? ['install', '--no-save'] : ['ci'];
  if (command[0] === 'install') writeFileSync(addingPath, `${process.pid}`);
  const options = [withTools ? '--include=dev' : '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  // Nothing that runs has a script at its installation, and the one of this repository bundles the command.
  if (isCommandEnough)
    options.push('--workspace=packages/cli', '--include-workspace-root', '--ignore-scripts');
  // What npm has from earlier installations is right if its hash is. A version that its lists do not have yet makes it fail.
  const failure =
    (await runNpm([...command, ...options, '--prefer-offline'], withTools, 'ignore')) &&
    (await runNpm([...command, ...options], withTools, 'inherit'));
  // npm takes back what it did when it fails, though not when it is stopped.
  rmSync(addingPath, { force: true });
  if (failure !== undefined) fail(`The installation failed: ${failure}. Run 'npm ci' in ${root} to see why.`);
  removeHeaders();
  const missing = missingRuntime();
  if (missing !== undefined) fail(missing);
  process.stderr.write(`Installed ${sizeOfInstallation()}.\n`);
  // Worktrees may share files by hard links; a new file leaves those of others as they are.
  rmSync(stampPath, { force: true });
  writeFileSync(stampPath, isCommandEnough ? commandStamp : stamp);
} else if (!existsSync(stampPath)) {
  writeFileSync(stampPath, stamp);
}
if (!process.argv.includes('--command')) {
  const { bundleIfStale } = await import('./bundle.mjs');
  await bundleIfStale();
}
