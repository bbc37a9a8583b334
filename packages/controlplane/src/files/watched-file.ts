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

/** Soon enough for somebody who changed the file and waits, and too seldom to be seen. */
export const lookIntervalMs = 2_000;

/**
 * A file whose content is used while the process runs. It is read again and again, because a mount of Kubernetes replaces what a
 * symbolic link points at, which no notification tells reliably. Content that cannot be used is told once, and what was used
 * before stays.
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
  watch(onLooked: (hasChanged: boolean) => void): void {
    this.#cancel = this.#options.clock.after(lookIntervalMs, async () => {
      const hasChanged = await this.#look();
      if (this.#hasStopped) return;
      onLooked(hasChanged);
      this.watch(onLooked);
    });
  }

  stop(): void {
    this.#hasStopped = true;
    this.#cancel();
  }

  async #look(): Promise<boolean> {
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
