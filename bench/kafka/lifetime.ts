import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Owns processes and folders, and removes them when a measurement fails, when the user interrupts, and when this
 * process ends in any other way that it can observe.
 */
export class Lifetime {
  static readonly #all = new Set<Lifetime>();
  readonly #children = new Set<ChildProcess>();
  readonly #folders: string[] = [];

  /** Runs the work and then ends everything that it started. */
  static async during<Result>(work: (lifetime: Lifetime) => Promise<Result>): Promise<Result> {
    const lifetime = new Lifetime();
    Lifetime.#all.add(lifetime);
    try {
      return await work(lifetime);
    } finally {
      await lifetime.#end();
      Lifetime.#all.delete(lifetime);
    }
  }

  /** Ends everything at once. Killed processes have no data worth saving. */
  static endAll(): void {
    for (const lifetime of Lifetime.#all) {
      for (const child of lifetime.#children) child.kill('SIGKILL');
      for (const folder of lifetime.#folders) removeFolder(folder);
    }
  }

  owns(child: ChildProcess): void {
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
  }

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'));
    this.#folders.push(folder);
    return folder;
  }

  async #end(): Promise<void> {
    await Promise.all([...this.#children].map(killed));
    for (const folder of this.#folders) removeFolder(folder);
  }
}

function killed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => resolve());
    child.kill('SIGKILL');
  });
}

/** Retries, because a process that was just killed may still write a last file while its folder is being removed. */
function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
