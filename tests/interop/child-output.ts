import type { ChildProcessWithoutNullStreams } from 'node:child_process';

interface ChildOutput {
  /** The exit status, or the signal that ended it. */
  readonly status: number | NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Gives a child process its input, waits for its end and returns its output. */
export async function outputOf(child: ChildProcessWithoutNullStreams, input = ''): Promise<ChildOutput> {
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = new Promise<ChildOutput['status']>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  // A program that rejects its arguments ends before it reads; callers check its status.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return { status: await ended, out, err };
}
