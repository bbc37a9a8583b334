/**
 * Where the gate speaks. A reader that goes away (`npm test | head`) is no mistake: the gate falls silent, starts nothing
 * more, lets what runs clean up after itself, and ends as programs do that write to a closed pipe.
 */
let isClosed = false;

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isClosed = true;
  });
}

/** 128 and the number of SIGPIPE. */
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
