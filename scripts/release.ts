/**
 * Makes everything that a release publishes, in one folder. The same commit makes the same bytes, on any machine with
 * Node and dpkg-deb.
 *
 *   npm run release                                  for all platforms, into release/
 *   npm run release -- --platforms linux-x64         for some
 *   npm run release -- --out FOLDER --sign-key FILE  elsewhere, with a signed provenance
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { release } from '@weir/core';
import { dashboardFile } from './monitoring/dashboard.ts';
import { rulesFile } from './monitoring/rules-file.ts';
import { billOfMaterials } from './release/bill-of-materials.ts';
import { baseFiles, basePackages } from './release/debian-base.ts';
import { debianPackage } from './release/debian-package.ts';
import { imageOf } from './release/image.ts';
import { npmPackage, packageVersion } from './release/npm-package.ts';
import { Lock } from './release/npm-packages.ts';
import { platforms } from './release/platforms.ts';
import { makeProgram, partsFor } from './release/program.ts';
import { checksums, provenance, signedEnvelope } from './release/provenance.ts';
import { movedInto } from './release/release-file.ts';
import { releaseNotes } from './release/release-notes.ts';
import { tarGzOf, tarOf } from './release/tar.ts';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'release') },
    platforms: { type: 'string', default: platforms.map(({ name }) => name).join(',') },
    'sign-key': { type: 'string' },
  },
});
const wanted = values.platforms.split(',').map((name) => {
  const found = platforms.find((one) => one.name === name);
  if (found === undefined)
    throw new Error(`--platforms ${name}: there are ${platforms.map((one) => one.name).join(', ')}`);
  return found;
});
const out = resolve(values.out);
const cachePath = join(root, 'node_modules/.cache/weir/release');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** Files have the time of the commit, so that the same commit makes the same archives. */
const timeSeconds = Number(git('log', '-1', '--format=%ct'));
const lockPath = join(root, 'package-lock.json');
const lock = new Lock(lockPath);

const artefacts: { readonly name: string; readonly bytes: Uint8Array }[] = [];
const add = (name: string, content: Uint8Array | string) => {
  const bytes = Buffer.from(content as Uint8Array);
  artefacts.push({ name, bytes });
  process.stdout.write(`${name} ${(bytes.length / 2 ** 20).toFixed(1)} MiB\n`);
};

for (const build of ['scripts/build-console.mjs', 'scripts/docs-site.ts'])
  execFileSync(process.execPath, [join(root, build)], { stdio: ['ignore', 'ignore', 'inherit'] });
const program = await makeProgram(lock);
add(`weir-${packageVersion}.tgz`, tarGzOf(npmPackage(program), timeSeconds));
for (const platform of wanted) {
  const name = `weir-${release}-${platform.name}`;
  const parts = partsFor(platform, lock, cachePath);
  const whole = [...program.files, ...parts.files];
  add(`${name}.tar.gz`, tarGzOf(movedInto(name, whole), timeSeconds));
  add(`weir_${packageVersion}_${platform.debianName}.deb`, debianPackage(platform, whole, timeSeconds));
  const image = imageOf({
    platform,
    healthCheckPath: join(root, 'deploy/image/healthcheck'),
    base: await baseFiles(platform, cachePath),
    platformFiles: parts.files,
    program: program.files,
    timeSeconds,
  });
  add(`${name}.oci.tar`, tarOf(image.layout, timeSeconds));
  add(`${name}.Dockerfile`, image.dockerfile);
  const materials = {
    bundled: program.bundled,
    loaded: parts.packages,
    base: basePackages(platform),
    platform,
    timeSeconds,
  };
  add(`${name}.cdx.json`, billOfMaterials(materials));
}
add(`weir-${release}-alerts.yaml`, rulesFile());
add(`weir-${release}-dashboard.json`, dashboardFile());
add(
  `weir-${release}-notes.md`,
  releaseNotes({
    release,
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    artefacts: artefacts.map(({ name }) => name),
  }),
);
artefacts.sort((a, b) => (a.name < b.name ? -1 : 1));
const statement = provenance(artefacts, {
  commit: git('rev-parse', 'HEAD'),
  lockFile: readFileSync(lockPath),
  hasChanges: git('status', '--porcelain', '--untracked-files=no') !== '',
});
const key = values['sign-key'];
add(`weir-${release}.intoto.jsonl`, key === undefined ? statement : signedEnvelope(statement, key));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const { name, bytes } of artefacts) writeFileSync(join(out, name), bytes);
writeFileSync(join(out, 'SHA256SUMS'), checksums(artefacts));
process.stdout.write(`in ${out}\n`);
