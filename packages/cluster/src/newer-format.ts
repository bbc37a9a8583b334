/**
 * The data was written by a newer release in a format that this release does not know. Neither waiting nor an older
 * copy helps.
 */
export class NewerFormat extends Error {
  override readonly name = 'NewerFormat';

  /** `what` is a noun: `journal format`. */
  constructor(what: string, found: number, known: number) {
    super(
      `written by a newer release (${what} ${found}, this release reads up to ${known}); ` +
        'start that release, or restore a backup',
    );
  }
}
