import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atExit } from './at-exit.ts';

/** A separate small disk that can be filled. */
export class SmallDisk {
  readonly folder: string;
  readonly #ballast: string;
  #cancelAtExit = () => {};

  private constructor(folder: string) {
    this.folder = folder;
    this.#ballast = join(folder, 'ballast');
  }

  /** Mounts a disk at a folder that does not exist yet, or returns the reason why it cannot. */
  static mount(folder: string, mebibytes: number): SmallDisk | { readonly missing: string } {
    if (process.getuid?.() !== 0) return { missing: 'only root can mount a small disk' };
    mkdirSync(folder);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], {
      encoding: 'utf8',
    });
    if (mounted.status === 0) {
      const disk = new SmallDisk(folder);
      disk.#cancelAtExit = atExit(() => disk.unmount());
      return disk;
    }
    rmSync(folder, { recursive: true });
    return { missing: `mount: ${(mounted.error?.message ?? mounted.stderr).trim()}` };
  }

  /** Fills the disk completely. */
  fill(): void {
    const { bavail, bsize } = statfsSync(this.folder);
    for (let bytes = bavail * bsize; bytes >= bsize; bytes >>= 1) {
      try {
        writeFileSync(this.#ballast, Buffer.alloc(bytes), { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  }

  empty(): void {
    rmSync(this.#ballast, { force: true });
  }

  unmount(): void {
    this.#cancelAtExit();
    spawnSync('umount', ['--lazy', this.folder]);
  }
}
