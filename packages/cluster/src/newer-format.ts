/** What was read was written by a newer release, whose formats this one does not know. No waiting and no older copy helps. */
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
