/** The composition root: the one place that knows the arguments, the streams and the exit status of the process. */

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { systemEnvironment } from '@weir/core';

// Stripping types and compiling take most of the time of a short command, and are needed only once per change of a file.
// Where the directory cannot be written, Node goes on without it.
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/weir'));
const { run } = await import('./run.ts');

// A reader that goes away early, as `head` does, is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = run(process.argv.slice(2), systemEnvironment, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
