/** The parts of a log file, as errors name them. */
export type LogFilePart = 'header' | 'section' | 'footer' | 'trailer';

/** Bytes that are no log file, or not the requested one. Reading them again gives the same. */
export class LogFileError extends Error {
  override readonly name = 'LogFileError';
  readonly part: LogFilePart;

  constructor(part: LogFilePart, problem: string) {
    super(`log file: ${part}: ${problem}`);
    this.part = part;
  }
}
