import type { Clock, Log } from '@weir/core';

interface WatchedFileOptions<Content> {
  readonly path: string;
  /** Throws what is wrong with the file; the message must not contain secrets. */
  readonly read: (path: string) => Promise<string>;
  /** Throws likewise. */
  readonly parse: (text: string) => Content;
  readonly clock: Clock;
  readonly log: Log;
}

/** Quick enough for a user who changed the file, and rare enough to cost nothing. */
export const checkIntervalMs = 2_000;

/**
 * A file whose content is used while the process runs. It is polled, because a Kubernetes mount replaces the target of
 * a symbolic link, which file notifications do not report reliably. Unusable content is logged once, and the previous
 * content stays in use.
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

  /** Reads the file for the first time. An unusable file is an error then. */
  static async open<Content>(options: WatchedFileOptions<Content>): Promise<WatchedFile<Content>> {
    const text = await options.read(options.path);
    return new WatchedFile(options, text, options.parse(text));
  }

  get content(): Content {
    return this.#content;
  }

  /** Starts polling; calls back after each check with whether the content has changed. */
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
        log.error('failed to reload changed file, keeping its previous content', { path, error: problem });
      }
      this.#lastProblem = problem;
      return false;
    }
  }
}
