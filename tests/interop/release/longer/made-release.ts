/** The release that the tests of artefacts install: made once, from the files of this clone as they are now. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { release, systemEnvironment } from '@weir/core';
import { packageVersion } from '../../../../scripts/release/npm-package.ts';
import { platforms } from '../../../../scripts/release/platforms.ts';
import { fixedSource } from './fixed-source.ts';

export const scratch = mkdtempSync(join(tmpdir(), 'weir-release-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const own = platforms.find(({ os, cpu }) => os === process.platform && cpu === process.arch);
export const skip = own === undefined ? `no release for ${process.platform}-${process.arch}` : false;
export const platform = own ?? platforms[0]!;

export const source = join(scratch, 'source');
export const out = join(scratch, 'one');
export const artefact = (name: string) => join(out, name);

/** What is of one platform begins with this. */
const prefix = `weir-${release}-${platform.name}`;
export const names = {
  npm: `weir-${packageVersion}.tgz`,
  archive: `${prefix}.tar.gz`,
  debian: `weir_${packageVersion}_${platform.debianName}.deb`,
  image: `${prefix}.oci.tar`,
  dockerfile: `${prefix}.Dockerfile`,
  materials: `${prefix}.cdx.json`,
  provenance: `weir-${release}.intoto.jsonl`,
} as const;

export const signKey = generateKeyPairSync('ed25519');

export function makeRelease(
  folder: string,
  options: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): void {
  execFileSync(
    process.execPath,
    [join(source, 'scripts/release.ts'), '--platforms', platform.name, '--out', folder, ...options],
    { cwd: scratch, env: { ...systemEnvironment, ...environment }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

before(() => {
  if (skip !== false) return;
  fixedSource(source);
  const keyPath = join(scratch, 'key.pem');
  writeFileSync(keyPath, signKey.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  makeRelease(out, ['--sign-key', keyPath]);
});
