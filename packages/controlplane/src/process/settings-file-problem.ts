/** A file of the operator's that cannot be used as it is. */
export class SettingsFileProblem extends Error {
  override readonly name = 'SettingsFileProblem';

  constructor(flag: string, path: string, cause: Error) {
    super(`-${flag} ${path}: ${cause.message}`, { cause });
  }
}
