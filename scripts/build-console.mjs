// Builds the web console into packages/console/dist, unless the build there is of the same sources. Plain JavaScript, because
// npm runs it on whatever Node the machine has; the build itself runs on Node 24.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runtimePath } from './installation.mjs';

const consolePath = join(root, 'packages/console');
const distPath = join(consolePath, 'dist');
const stampName = '.sources';

/** What the build reads: the console, and the packages that pages import. */
const sourceFolders = ['console/src', 'console/public', 'api/src', 'core/src', 'events/src'];
const sourceFiles = ['packages/console/index.html', 'packages/console/vite.config.ts', 'package-lock.json'];

function sourcesStamp() {
  const stamp = createHash('sha256');
  const folders = sourceFolders.map((name) => join(root, 'packages', name));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
  );
  for (const path of [...files, ...sourceFiles.map((name) => join(root, name))].sort()) {
    const { size, mtimeMs } = statSync(path);
    stamp.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return stamp.digest('hex');
}

function isCurrent(stamp) {
  try {
    return readFileSync(join(distPath, stampName), 'utf8') === stamp;
  } catch {
    return false;
  }
}

/** Takes the place of the last build at once: others may build at the same time, and a server may read the folder. */
function put(builtPath, stamp) {
  writeFileSync(join(builtPath, stampName), stamp);
  if (isCurrent(stamp)) return;
  const lastPath = `${builtPath}-last`;
  try {
    renameSync(distPath, lastPath);
  } catch {
    // The first build.
  }
  try {
    renameSync(builtPath, distPath);
  } catch (error) {
    // Another build of these sources was first.
    if (!isCurrent(stamp)) throw error;
  }
  rmSync(lastPath, { recursive: true, force: true });
}

const stamp = sourcesStamp();
if (!isCurrent(stamp)) {
  const startMs = performance.now();
  process.stderr.write('Building the console …\n');
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const cachePath = join(root, 'node_modules', '.cache', 'weir');
  mkdirSync(cachePath, { recursive: true });
  const builtPath = join(cachePath, `console-${process.pid}`);
  const options = ['--logLevel', 'warn', '--outDir', builtPath, '--emptyOutDir'];
  const child = spawn(runtimePath, [vite, 'build', ...options], {
    cwd: consolePath,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const status = await new Promise((resolve) => {
    child.on('error', ({ message }) => {
      process.stderr.write(`${message}\n`);
      resolve(1);
    });
    child.on('close', resolve);
  });
  if (status === 0) {
    put(builtPath, stamp);
    process.stderr.write(`Built the console in ${((performance.now() - startMs) / 1000).toFixed(1)} s.\n`);
  } else {
    process.stderr.write('weir: failed to build the console\n');
    process.exitCode = 1;
  }
  rmSync(builtPath, { recursive: true, force: true });
}
