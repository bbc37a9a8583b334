// What an installation consists of. Plain JavaScript, because on a fresh clone it is run by whatever Node the machine has.
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const lockPath = join(root, 'package-lock.json');

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const runtimePackage = `node-${process.platform}-${process.arch}`;
const hasRuntimePackage = runtimePackage in manifest.optionalDependencies;
const runtimeFolder = join(root, 'node_modules', runtimePackage);
const isNewEnough = Number.parseInt(process.versions.node, 10) >= 24;

/** Node 24: the package for the platform, and where npm has none, the Node that runs this if it is new enough. */
export const runtimePath =
  !hasRuntimePackage && isNewEnough ? process.execPath : join(runtimeFolder, 'bin', 'node');

/** Why there is no Node 24, or undefined. */
export function missingRuntime() {
  if (existsSync(runtimePath)) return undefined;
  return hasRuntimePackage
    ? `there is no Node 24 at ${runtimePath}; were optional packages left out?`
    : `npm has no Node 24 for ${process.platform}-${process.arch}; install Node 24 or newer`;
}

/** Whether the tools of contributors are there: format, types, tests and the clients of interop tests come together. */
export function hasTools() {
  return Object.keys(manifest.devDependencies).every((name) => existsSync(join(root, 'node_modules', name)));
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
  for (const unused of ['include', 'share'])
    rmSync(join(runtimeFolder, unused), { recursive: true, force: true });
}

/** `181 MB, of which Node 24 takes 121 MB`. */
export function sizeOfInstallation() {
  const megabytes = (bytes) => `${Math.round(bytes / 2 ** 20)} MB`;
  const all = sizeBelow(join(root, 'node_modules'));
  return `${megabytes(all)}, of which Node takes ${megabytes(lstatSync(runtimePath).size)}`;
}

/** What files take on the disk. */
function sizeBelow(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      bytes += sizeBelow(path);
    } else if (entry.isFile()) {
      const { size, blocks = Math.ceil(size / 512) } = lstatSync(path);
      bytes += blocks * 512;
    }
  }
  return bytes;
}
