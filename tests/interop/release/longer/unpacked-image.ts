import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

interface ImageConfig {
  readonly architecture: string;
  readonly config: {
    readonly User: string;
    readonly Env: string[];
    readonly Entrypoint: string[];
    readonly Healthcheck: { readonly Test: string[] };
  };
}

interface UnpackedImage {
  readonly config: ImageConfig;
  readonly compressedBytes: number;
}

/** Unpacks the files of an image, as its layers lie upon each other, and holds each layer to its checksums. */
export function unpackImage(tarPath: string, layout: string, imageRoot: string): UnpackedImage {
  mkdirSync(layout, { recursive: true });
  execFileSync('tar', ['-xf', tarPath, '-C', layout]);
  const blob = (digest: string) => readFileSync(join(layout, 'blobs', digest.replace(':', '/')));
  const [described] = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')).manifests;
  const manifest = JSON.parse(blob(described.digest).toString());
  const config = JSON.parse(blob(manifest.config.digest).toString());
  mkdirSync(imageRoot, { recursive: true });
  for (const [index, { digest, size }] of manifest.layers.entries()) {
    const bytes = blob(digest);
    assert.equal(bytes.length, size);
    const tar = gunzipSync(bytes);
    assert.equal(`sha256:${createHash('sha256').update(tar).digest('hex')}`, config.rootfs.diff_ids[index]);
    execFileSync('tar', ['-x', '--same-owner', '-C', imageRoot], { input: tar });
  }
  const compressedBytes = manifest.layers.reduce((sum: number, { size }: { size: number }) => sum + size, 0);
  return { config, compressedBytes };
}
