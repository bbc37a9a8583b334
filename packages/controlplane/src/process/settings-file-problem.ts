/** An operator's file that is unusable. */
export class SettingsFileProblem extends Error {
  override readonly name = 'SettingsFileProblem';

  constructor(flag: string, path: string, cause: Error) {
    super(`-${flag} ${path}: ${cause.message}`, { cause });
  }
}
