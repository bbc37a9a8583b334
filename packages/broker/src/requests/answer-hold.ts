/**
 * What an answer refers to, such as pages in memory that is used again. It is released when the answer was sent or is
 * not going to be sent, and its handler is done.
 */
export class AnswerHold {
  #releases: (() => void)[] | undefined = [];

  /** Called by the handler. What is added after the release is never released. */
  add(release: () => void): void {
    this.#releases?.push(release);
  }

  /** Further calls do nothing. */
  release(): void {
    const releases = this.#releases;
    this.#releases = undefined;
    if (releases !== undefined) for (const release of releases) release();
  }
}
