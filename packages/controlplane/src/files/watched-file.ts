import type { Clock, Log } from '@weir/core';

interface WatchedFileOptions<Content> {
  readonly path: string;
  /** Fails with what is wrong with the file; no word of a secret may be in it. */
  readonly read: (path: string) => Promise<string>;
  /** The same. */
  readonly parse: (text: string) => Content;
  readonly clock: Clock;
  readonly log: Log;
}

/** Soon enough for a user who changed the file, and too seldom to cost anything. */
export const checkIntervalMs = 2_000;

/**
 * A file whose content is used while the process runs. It is read again and again, because a mount of Kubernetes
 * replaces what a symbolic link points at, which no notification tells reliably. Content that cannot be used is told
 * once, and what was used before stays.
 */
export class WatchedFile<Content> {
  readonly #options: WatchedFileOptions<Content>;
  #text: string;
  #content: Content;
  #lastProblem: string | undefined;
  #cancel = () => {};
  #hasStopped = false;

  private constructor(options: WatchedFileOptions<Content>, text: string, content: Content) {
    this.#options = options;
    this.#text = text;
    this.#content = content;
  }

  /** Reads it for the first time. A file that cannot be used is an error then. */
  static async open<Content>(options: WatchedFileOptions<Content>): Promise<WatchedFile<Content>> {
    const text = await options.read(options.path);
    return new WatchedFile(options, text, options.parse(text));
  }

  get content(): Content {
    return this.#content;
  }

  /** Looks at it from now on; calls back after each look, and says whether there is other content. */
  watch(onChecked: (hasChanged: boolean) => void): void {
    this.#cancel = this.#options.clock.after(checkIntervalMs, async () => {
      const hasChanged = await this.#readIfChanged();
      if (this.#hasStopped) return;
      onChecked(hasChanged);
      this.watch(onChecked);
    });
  }

  stop(): void {
    this.#hasStopped = true;
    this.#cancel();
  }

  async #readIfChanged(): Promise<boolean> {
    const { path, read, parse, log } = this.#options;
    try {
      const text = await read(path);
      const hasChanged = text !== this.#text;
      if (hasChanged) this.#content = parse(text);
      this.#text = text;
      this.#lastProblem = undefined;
      return hasChanged;
    } catch (error) {
      const problem = (error as Error).message;
      if (problem !== this.#lastProblem) {
        log.error('failed to reload changed file, keeping its previous content', { path, problem });
      }
      this.#lastProblem = problem;
      return false;
    }
  }
}
