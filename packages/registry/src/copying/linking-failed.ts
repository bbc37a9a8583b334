/** Why schemas are not copied: one line, for users, without anything that the other registry has sent. */
export class LinkingFailed extends Error {
  override name = 'LinkingFailed';
  /** What it is about, for the log of the operator. */
  readonly detail: string | undefined;

  constructor(message: string, detail?: string) {
    super(message);
    this.detail = detail;
  }
}
