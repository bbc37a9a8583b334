/**
 * Output of the gate. A closed pipe (`npm test | head`) is not an error: the gate stops printing, starts nothing more,
 * lets running tests clean up, and exits with the status of programs that write to a closed pipe.
 */
let isClosed = false;

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isClosed = true;
  });
}

/** 128 plus the number of SIGPIPE. */
export const closedStatus = 141;

export function isOutputClosed(): boolean {
  return isClosed;
}

export function print(line: string): void {
  if (!isClosed) process.stdout.write(`${line}\n`);
}

export function printError(chunk: string | Buffer): void {
  if (!isClosed) process.stderr.write(chunk);
}
