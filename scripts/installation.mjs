// What an installation consists of. Plain JavaScript, because on a fresh clone it is run by whatever Node the machine has.
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const lockPath = join(root, 'package-lock.json');
export const runtimePath = join(root, 'node_modules', 'node', 'bin', 'node');

/** Whether the tools of contributors are there: format, types, tests and the clients of interop tests come together. */
export function hasTools() {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.keys(devDependencies).every((name) => existsSync(join(root, 'node_modules', name)));
}

/** Folders of packages that every platform has, as the lock file lists them. */
export function packageFolders({ withTools }) {
  const { packages } = JSON.parse(readFileSync(lockPath, 'utf8'));
  return Object.entries(packages)
    .filter(
      ([path, { link, optional, dev }]) =>
        path.includes('node_modules/') && !link && !optional && (withTools || !dev),
    )
    .map(([path]) => join(root, path));
}

/** The package of Node brings headers for compiling addons, a third of its size. Nothing here is compiled. */
export function removeHeaders() {
  const nested = join(root, 'node_modules', 'node', 'node_modules');
  if (!existsSync(nested)) return;
  for (const name of readdirSync(nested).filter((entry) =>
    /^node-(?:bin-)?(?:linux|darwin|win|aix)/.test(entry),
  )) {
    for (const unused of ['include', 'share'])
      rmSync(join(nested, name, unused), { recursive: true, force: true });
  }
}

/** `181 MB, of which Node 24 takes 121 MB`. */
export function sizeOfInstallation() {
  const megabytes = (bytes) => `${Math.round(bytes / 2 ** 20)} MB`;
  const all = sizeBelow(join(root, 'node_modules'), new Set());
  return `${megabytes(all)}, of which Node takes ${megabytes(lstatSync(runtimePath).size)}`;
}

/** What files take on the disk. One with several names counts once: the binary of Node has two. */
function sizeBelow(folder, seen) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      bytes += sizeBelow(path, seen);
    } else if (entry.isFile()) {
      const { size, blocks = Math.ceil(size / 512), ino, nlink } = lstatSync(path);
      if (nlink > 1 && seen.has(ino)) continue;
      seen.add(ino);
      bytes += blocks * 512;
    }
  }
  return bytes;
}
