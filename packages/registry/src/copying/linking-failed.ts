/** Why schemas are not copied: one line, for users. */
export class LinkingFailed extends Error {
  override name = 'LinkingFailed';
}
