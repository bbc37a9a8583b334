import type { ComponentContext } from '../component/component-context.ts';
import { componentWith } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { list, resource } from '../component/field-types.ts';
import type { Cache } from '../component/instances.ts';

/** Caches of which the first are faster: what a later one has is put into those before it. */
class Multilevel implements Cache {
  readonly #labels: readonly string[];
  readonly #context: ComponentContext;

  constructor(labels: readonly string[], context: ComponentContext) {
    this.#labels = labels;
    this.#context = context;
  }

  async get(key: string): Promise<Buffer | undefined> {
    const levels = this.#levels();
    for (const [at, level] of levels.entries()) {
      const found = await level.get(key);
      if (found === undefined) continue;
      for (const faster of levels.slice(0, at)) {
        try {
          await faster.set(key, found);
        } catch (error) {
          this.#context.log.error('failed to put a value into a faster cache', { error: reasonOf(error) });
        }
      }
      return found;
    }
    return undefined;
  }

  async set(key: string, value: Buffer, ttlMs?: number): Promise<void> {
    for (const level of this.#levels()) await level.set(key, value, ttlMs);
  }

  /** The last one decides, because it has all. */
  async add(key: string, value: Buffer, ttlMs?: number): Promise<boolean> {
    const levels = this.#levels();
    const faster = levels.slice(0, -1);
    for (const level of faster) if ((await level.get(key)) !== undefined) return false;
    if (!(await levels.at(-1)!.add(key, value, ttlMs))) return false;
    for (const level of faster) await level.set(key, value, ttlMs);
    return true;
  }

  async delete(key: string): Promise<void> {
    for (const level of this.#levels()) await level.delete(key);
  }

  async close(): Promise<void> {}

  /** A cache may be defined after this one. */
  #levels(): Cache[] {
    return this.#labels.map((label) => this.#context.resources.get('cache', label));
  }
}

export const multilevel = componentWith('cache', {
  name: 'multilevel',
  about: 'Reads from several caches, the first ones first, and writes to all.',
  field: list('Labels of caches.', resource('cache', 'A label.')).check((labels) =>
    labels.length < 2 ? 'has to have at least two caches' : undefined,
  ),
  open: (labels, context) => new Multilevel(labels, context),
});
