/**
 * The port to data files, which may be larger than what a process should hold: they are read and written in parts, by
 * full URIs.
 */
export interface DataFiles {
  /** Bytes `start` to `end` (exclusive). `undefined` if there is no such file. */
  readRange(path: string, start: number, end: number, signal?: AbortSignal): Promise<Buffer | undefined>;
  /** Begins a file under a path that was never used. Nothing of it is visible before it is finished. */
  beginWrite(path: string, signal?: AbortSignal): Promise<NewDataFile>;
}

/** Its owner finishes or aborts it. */
interface NewDataFile {
  /** Copies bytes. Returns a promise if it must wait for earlier ones. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  finish(): Promise<void>;
  /** Never throws: what is left over is invisible. */
  abort(): Promise<void>;
}
